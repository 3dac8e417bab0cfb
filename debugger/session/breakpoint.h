#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::debugger {

/// `5` (the fifth time), `>= 5`, `% 10` (every tenth time).
class HitCondition {
 public:
  static auto parse(std::string_view text) -> Result<HitCondition>;
  [[nodiscard]] auto holds(uint64_t n_hits) const -> bool;

 private:
  enum class Comparison : uint8_t { Equal, AtLeast, Above, AtMost, Below, Every };
  Comparison comparison_ = Comparison::Equal;
  uint64_t number_ = 0;
};

/// Where a run is to pause, or to print something.
struct Breakpoint {
  int64_t id = 0;
  std::vector<uint32_t> marks{};
  bool is_function = false;
  std::string condition{};  ///< an expression, or empty
  std::optional<HitCondition> hit_condition{};
  std::string log_message{};  ///< with `{expressions}`; a run does not pause for it
};

}  // namespace tacet::debugger
