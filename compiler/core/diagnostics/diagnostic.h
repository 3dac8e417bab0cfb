#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/text_range.h"

namespace tacet {

/// Every kind of diagnostic: the enumerators are in `code.h`, which only those who report include,
/// so that a new one does not rebuild everything.
enum class DiagnosticCode : uint16_t;

enum class Severity : uint8_t { Error, Warning, Information, Hint };

/// `T0001`.
auto code_name(DiagnosticCode code) -> std::string_view;

/// What the code is about in a few words, as in the index of the documentation.
auto code_title(DiagnosticCode code) -> std::string_view;

auto default_severity(DiagnosticCode code) -> Severity;

/// The code called `name`, in either case (`t0001`); false if there is none.
auto find_code(std::string_view name, DiagnosticCode& code) -> bool;

/// All codes, in order.
auto all_codes() -> const std::vector<DiagnosticCode>&;

struct FileTag;
/// A source file of the database that is being compiled.
using FileId = Id<FileTag>;

/// A place in a file. Inside an item's own results offsets count from the item's
/// start; `shift` moves them to the file when results are gathered.
struct FileRange {
  FileId file;
  TextRange range;

  friend auto operator==(const FileRange&, const FileRange&) -> bool = default;
};

/// A secondary place that explains the primary one ("specified here").
struct Label {
  FileRange place;
  std::string message;

  friend auto operator==(const Label&, const Label&) -> bool = default;
};

/// A part of why something is so. A tree of them is a list in which each is followed by what it
/// follows from in turn, one deeper.
struct Reason {
  uint32_t depth = 0;  ///< 0: of the diagnostic itself
  std::string text;    ///< as a message
  FileRange place{};   ///< no file: it has none

  [[nodiscard]] auto has_place() const -> bool { return place.file.has_value(); }
  friend auto operator==(const Reason&, const Reason&) -> bool = default;
};

/// Whether a tool may apply a fix without asking.
enum class Applicability : uint8_t { Safe, Unsafe, DisplayOnly };

struct TextEdit {
  TextRange range;
  std::string new_text;

  friend auto operator==(const TextEdit&, const TextEdit&) -> bool = default;
};

/// A change of the diagnostic's file that would fix it.
struct Fix {
  std::string title;
  Applicability applicability = Applicability::Safe;
  std::vector<TextEdit> edits;

  friend auto operator==(const Fix&, const Fix&) -> bool = default;
};

/// Hints to an editor how to draw the range.
enum class DiagnosticTag : uint8_t { None, Unnecessary, Deprecated };

/// Something wrong (or worth saying) about the user's program, as data. Messages
/// start lower-case, have no final period and put code in backticks.
struct Diagnostic {
  DiagnosticCode code{};
  Severity severity = Severity::Error;
  DiagnosticTag tag = DiagnosticTag::None;
  FileRange place;
  std::string message;
  std::vector<Label> labels;
  /// Why it is so, of what has causes with causes of their own; kept small by `limit_reasons`.
  std::vector<Reason> reasons;
  std::vector<std::string> notes;
  std::vector<Fix> fixes;

  friend auto operator==(const Diagnostic&, const Diagnostic&) -> bool = default;
};

/// A diagnostic of `code` with its default severity.
auto make_diagnostic(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic;

/// The same diagnostic with the offsets of its own file moved by `by` bytes: from
/// item-relative to file-relative.
auto shifted(Diagnostic diagnostic, uint32_t by) -> Diagnostic;

/// By file, place, code, message: the order in which reports list them.
void sort_diagnostics(std::vector<Diagnostic>& diagnostics);

}  // namespace tacet
