#pragma once

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/array/intervals.h"

/// Private to this folder. How wide intervals may be for functions to be expanded, and what is
/// reported of those that are wider.
namespace tacet::he_lower {

/// At most so many values of an operand are distinguished, each by a polynomial of its own.
inline constexpr int64_t kMostDistinguished = 64;

/// Whether sums and differences of two such intervals fit 64 bits.
inline auto is_bounded(array::Interval range) -> bool {
  return range.low > INT64_MIN / 4 && range.high < INT64_MAX / 4;
}

/// Of all differences of numbers in two bounded intervals.
inline auto difference_of(array::Interval left, array::Interval right) -> array::Interval {
  return {left.low - right.high, left.high - right.low};
}

/// How many numbers are in a bounded interval.
inline auto width_of(array::Interval range) -> int64_t {
  return range.high - range.low + 1;
}

inline auto is_number(array::Interval range) -> bool {
  return range.low == range.high;
}

/// Whether an end of the interval stands for everything beyond it.
inline auto needs_more_than_64_bits(array::Interval range) -> bool {
  return range.low == INT64_MIN || range.high == INT64_MAX;
}

/// T6004: the function at `id` of a statement, whose expressions are in `ranges`, takes operands
/// that are too far apart or not bounded.
auto too_expensive(const array::Program& program, const array::Statement& statement,
                   const std::vector<array::Interval>& ranges, array::ExprId id) -> Diagnostic;

/// T6004: no moduli hold the differences in `wide`, which are compared, or, if that is {0, 0}, the
/// results.
auto too_wide(const array::Program& program, const array::ValueRanges& ranges, array::Interval wide)
    -> Diagnostic;

}  // namespace tacet::he_lower
