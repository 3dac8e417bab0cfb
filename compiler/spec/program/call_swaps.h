#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/spec/program/call_points.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::program {

/// Calls of another function than the text has: `main/square#2=square_fast` is the second call of
/// `square` in `main`, without a number every one. `shapes.area/square=square_fast` is in the
/// function `area` of the module `shapes`, which the program imports, directly or not.
struct CallSwap {
  std::string function;
  std::string callee;
  uint32_t number = 0;  ///< from 1; 0: every call
  std::string other;
  std::string module{};  ///< empty: the program's own file

  /// `main`, `shapes.area`.
  [[nodiscard]] auto function_text() const -> std::string;
  [[nodiscard]] auto text() const -> std::string;

  friend auto operator==(const CallSwap&, const CallSwap&) -> bool = default;
};

/// What becomes of one file.
struct FileEdits {
  FileId file;
  std::vector<TextEdit> edits;  ///< in the order of the text
};

/// Reads what `CallSwap::text` gives. An error says what it should look like.
auto parse_call_swap(std::string_view text) -> Result<CallSwap>;

/// How swaps name the functions of a file: nothing for those of `program` itself, the module's name
/// for those of a file that it imports. None of the library, which stays as it is, and none of
/// modules of the same name.
auto swap_module(const FrontendSnapshot& snapshot, FileId program, FileId file)
    -> std::optional<std::string>;

/// What gives these calls of `file`, and of files that it imports, other names; only files with
/// edits, in the order of the swaps. An error says which module, function or call there is not,
/// that the other function is none of those that compute the same there, or that it reveals
/// intermediate values where the callee does not: so no stored choice can show more than the text.
auto call_edits(const FrontendSnapshot& snapshot, FileId file, std::span<const CallSwap> swaps)
    -> Result<std::vector<FileEdits>>;

}  // namespace tacet::program
