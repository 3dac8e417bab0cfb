#pragma once

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
/// `square` in `main`, without a number every one.
struct CallSwap {
  std::string function;
  std::string callee;
  uint32_t number = 0;  ///< from 1; 0: every call
  std::string other;

  [[nodiscard]] auto text() const -> std::string;

  friend auto operator==(const CallSwap&, const CallSwap&) -> bool = default;
};

/// Reads what `CallSwap::text` gives. An error says what it should look like.
auto parse_call_swap(std::string_view text) -> Result<CallSwap>;

/// What gives these calls of `file` other names, in the order of the text. An error says which
/// function or call the file does not have, that the other function is none of those that
/// compute the same there, or that it reveals intermediate values where the callee does not: so no
/// stored choice can show more than the text.
auto call_edits(const FrontendSnapshot& snapshot, FileId file, std::span<const CallSwap> swaps)
    -> Result<std::vector<TextEdit>>;

}  // namespace tacet::program
