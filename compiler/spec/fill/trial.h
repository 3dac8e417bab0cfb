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

/// A copy of a file and of what it imports, in which changes of the file are tried. The original
/// stays as it is, so this may be used inside of a query.
class Trial {
 public:
  /// `judge` says what is wrong with a text: by default what `FrontendSnapshot::diagnostics` does.
  Trial(const program::FrontendSnapshot& original, FileId file, Judge judge = {});

  /// The text before any change.
  [[nodiscard]] auto original() const -> const std::string& { return original_; }
  /// Makes `text` the text of the file, and says what is wrong with it.
  auto check(std::string text) -> std::vector<Diagnostic>;
  /// Of the text that was checked last.
  [[nodiscard]] auto snapshot() -> program::FrontendSnapshot { return frontend_.snapshot(); }
  [[nodiscard]] auto file() const -> FileId { return file_; }
  /// How many texts were checked.
  [[nodiscard]] auto n_checks() const -> size_t { return n_checks_; }

 private:
  program::Frontend frontend_;
  Judge judge_;
  FileId file_;
  std::string path_;
  std::string original_;
  size_t n_checks_ = 0;
};

}  // namespace tacet::fill
