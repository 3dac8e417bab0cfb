#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::fill {

/// What is wrong with a file.
using Judge =
    std::function<std::vector<Diagnostic>(const program::FrontendSnapshot& snapshot, FileId file)>;

/// Whether a device function computes its specification.
enum class Verified : uint8_t {
  Yes,        ///< proved, or all but certain
  Undecided,  ///< on all inputs that were tried
  No,
};
using Verify =
    std::function<Verified(const program::FrontendSnapshot& snapshot, names::ItemId function)>;

/// What decides about a text.
struct Checks {
  /// By default what `FrontendSnapshot::diagnostics` does.
  Judge judge{};
  /// Without, holes in device functions are not filled.
  Verify verify{};
};

/// A copy of a file and of what it imports, in which changes of the file are tried. The original
/// stays as it is, so this may be used inside of a query.
class Trial {
 public:
  Trial(const program::FrontendSnapshot& original, FileId file, Checks checks = {});

  /// The text before any change.
  [[nodiscard]] auto original() const -> const std::string& { return original_; }
  /// Makes `text` the text of the file, and says what is wrong with it.
  auto check(std::string text) -> std::vector<Diagnostic>;
  [[nodiscard]] auto can_verify() const -> bool { return checks_.verify != nullptr; }
  /// Of the text that was checked last, if `can_verify`: see `Verify`.
  auto verify(names::ItemId function) -> Verified;
  /// Of the text that was checked last.
  [[nodiscard]] auto snapshot() -> program::FrontendSnapshot { return frontend_.snapshot(); }
  [[nodiscard]] auto file() const -> FileId { return file_; }
  /// How many texts were checked.
  [[nodiscard]] auto n_checks() const -> size_t { return n_checks_; }

 private:
  program::Frontend frontend_;
  Checks checks_;
  FileId file_;
  std::string path_;
  std::string original_;
  size_t n_checks_ = 0;
};

}  // namespace tacet::fill
