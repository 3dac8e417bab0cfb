#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "engine/program/common/arithmetic.h"

namespace tacet::engine {

/// k if all of `divisors`, public integers of one type and at least one, are 2^k: by these is
/// divided with shifts.
inline auto common_power_of_two(std::span<const Cell> divisors, ElementType element)
    -> std::optional<unsigned> {
  const Cell first = divisors.front();
  const bool is_positive = !is_signed_integer(element.kind) || std::bit_cast<int64_t>(first) > 0;
  const auto differs = [first](Cell cell) { return cell != first; };
  if (!is_positive || !std::has_single_bit(first) ||
      std::any_of(divisors.begin(), divisors.end(), differs)) {
    return std::nullopt;
  }
  return static_cast<unsigned>(std::countr_zero(first));
}

}  // namespace tacet::engine
