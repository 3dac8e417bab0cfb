#pragma once

#include <optional>
#include <vector>

#include "compiler/device/array/evaluate.h"

/// How large numbers become: what the plaintext modulus must hold.
namespace tacet::array {

/// Intervals of integers, never of numbers that wrapped around. An end at the least or the greatest
/// number of 64 bits stands for everything beyond it as well.
struct ValueRanges {
  std::vector<std::vector<Interval>> exprs;  ///< by statement and expression
  std::vector<Interval> arrays;              ///< by array
  /// The first expression that may leave 64 bits where its operands do not.
  std::optional<ExprPlace> unbounded_at;

  [[nodiscard]] auto output() const -> Interval { return arrays.back(); }
};

/// Finds intervals that hold all values, given those of the inputs, in the order of the arrays.
/// What is read outside of an array is 0.
///
/// Beside interval arithmetic, where operands count as independent, three facts about equal
/// operands are used. A product of an expression with itself is a square. A polynomial in a few
/// operands that is linear in each of them, but for those with two values, such as bits, is between
/// its values at the ends of their intervals; so `1 - (a - b)*(a - b)`, `a + b - a*b` and
/// `c*x + (1 - c)*y` are found to be what they are. For that parts which are bits themselves count
/// as operands if there are too many without. O(size of the program), times 2^8 for those. The
/// result of a statement that has functions in it and depends on one number of a narrow interval is
/// computed for all of these numbers.
auto find_ranges(const Program& program, const std::vector<Interval>& inputs) -> ValueRanges;

/// An operation or reduction whose result is larger than its operands.
struct Growth {
  ExprPlace at;
  Interval operands;  ///< the least interval that holds both
  Interval result;

  friend auto operator==(const Growth&, const Growth&) -> bool = default;
};

/// Which operation, of those that the output depends on through largest operands, adds the most
/// bits; of equals the one nearest to the output. Nothing if none adds any.
auto find_growth(const Program& program, const ValueRanges& ranges) -> std::optional<Growth>;

}  // namespace tacet::array
