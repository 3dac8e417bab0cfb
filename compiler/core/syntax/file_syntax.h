#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/query/context.h"
#include "compiler/core/syntax/parser.h"
#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// One unit of a file and where it begins there.
struct Unit {
  std::shared_ptr<const Tree> tree;
  uint32_t begin = 0;

  [[nodiscard]] auto end() const -> uint32_t {
    return begin + static_cast<uint32_t>(tree->text.size());
  }
  /// The item (input, result) that the unit holds; null if it holds only trivia.
  [[nodiscard]] auto item() const -> Node;

  friend auto operator==(const Unit& a, const Unit& b) -> bool {
    return a.begin == b.begin && (a.tree == b.tree || *a.tree == *b.tree);
  }
};

/// A file as the row of its units: together their texts are the file's text.
struct FileSyntax {
  Language language = Language::Module;
  std::vector<Unit> units;
  /// What is wrong with the file rather than with one unit: no version, no result. By offsets in
  /// the file.
  std::vector<SyntaxError> errors;

  [[nodiscard]] auto size() const -> uint32_t { return units.empty() ? 0 : units.back().end(); }
  /// The index of the unit that holds `offset`; a unit's end belongs to the next one, the file's
  /// end to the last.
  [[nodiscard]] auto unit_at(uint32_t offset) const -> size_t;

  friend auto operator==(const FileSyntax&, const FileSyntax&) -> bool = default;
};

/// Parses a whole file. O(size).
auto parse_file(std::string_view text, Language language) -> FileSyntax;

/// What `parse_file(text, old.language)` gives, with the units of `old` taken over where the text
/// they were read from is the same. O(changed units), and one comparison of the texts.
auto reparse_file(const FileSyntax& old, std::string_view text) -> FileSyntax;

/// Every syntax error of a file by offsets in the file, in order.
auto syntax_errors(const FileSyntax& file, FileId id) -> std::vector<Diagnostic>;

/// The language of a file by its name's ending.
auto language_of(std::string_view path) -> Language;

/// The largest file that is read. Offsets are 32 bits wide, and a text far above this size is no
/// program.
constexpr size_t kMaxFileSize = size_t{64} << 20;

/// A file's text as an input of the database.
struct SourceFile {
  std::shared_ptr<const std::string> text;
  Language language = Language::Module;

  friend auto operator==(const SourceFile& a, const SourceFile& b) -> bool {
    return a.language == b.language && (a.text == b.text || *a.text == *b.text);
  }
};

/// Input query: the text of a file.
struct SourceText {
  static constexpr std::string_view kName = "source_text";
  using Key = FileId;
  using Value = SourceFile;
};

/// Query: the syntax of a file, re-using the units that an edit did not reach.
struct ParseFile {
  static constexpr std::string_view kName = "parse_file";
  using Key = FileId;
  using Value = std::shared_ptr<const FileSyntax>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

}  // namespace tacet::syntax
