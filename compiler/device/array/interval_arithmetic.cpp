#include "compiler/device/array/interval_arithmetic.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>

#include "compiler/device/array/checked.h"
#include "compiler/device/array/width.h"
#include "compiler/front/types/value_bound.h"

namespace tacet::array {

namespace {

using types::Wide;

auto is_infinite(int64_t end) -> bool {
  return end == INT64_MIN || end == INT64_MAX;
}

auto clamped(Wide value) -> int64_t {
  return static_cast<int64_t>(std::clamp<Wide>(value, INT64_MIN, INT64_MAX));
}

/// Of two low ends or two high ends: whichever is infinite wins.
auto sum_of_ends(int64_t a, int64_t b) -> int64_t {
  return is_infinite(a) ? a : is_infinite(b) ? b : clamped(Wide{a} + b);
}

auto product_of_ends(int64_t a, int64_t b) -> int64_t {
  if (a == 0 || b == 0) {
    return 0;  // however large the other is
  }
  if (is_infinite(a) || is_infinite(b)) {
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  }
  return clamped(Wide{a} * b);
}

auto negated(Interval value) -> Interval {
  auto end = [](int64_t x) { return x == INT64_MIN ? INT64_MAX : x == INT64_MAX ? INT64_MIN : -x; };
  return {end(value.high), end(value.low)};
}

}  // namespace

auto combined(Operator op, Interval left, Interval right) -> Interval {
  switch (op) {
    case Operator::Subtract:
      right = negated(right);
      [[fallthrough]];
    case Operator::Add:
      return {sum_of_ends(left.low, right.low), sum_of_ends(left.high, right.high)};
    case Operator::Multiply:
      break;
  }
  std::initializer_list<int64_t> ends = {
      product_of_ends(left.low, right.low), product_of_ends(left.low, right.high),
      product_of_ends(left.high, right.low), product_of_ends(left.high, right.high)};
  return {std::min(ends), std::max(ends)};
}

namespace {

/// By a divisor that may be anything of an interval, rounded by `kind`.
auto quotients(FunctionKind kind, Interval left, Interval right) -> Interval {
  const Interval none{0, 0};
  std::optional<Interval> result;
  const auto add = [&](Interval divisors) {
    for (int64_t a : {left.low, left.high}) {
      for (int64_t b : {divisors.low, divisors.high}) {
        const int64_t end = is_infinite(a) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN)
                                           : apply(kind, Width{}, a, b).number;
        result = result ? joined(*result, {end, end}) : Interval{end, end};
      }
    }
  };
  if (right.low < 0) {
    add({right.low, std::min<int64_t>(right.high, -1)});
  }
  if (right.high > 0) {
    add({std::max<int64_t>(right.low, 1), right.high});
  }
  if (!result) {
    return none;
  }
  return right.low <= 0 && right.high >= 0 ? joined(*result, none) : *result;
}

/// With the sign of `left` (`Remainder`) or of `right`.
auto remainders(FunctionKind kind, Interval left, Interval right) -> Interval {
  const int64_t most =
      std::max(right.high, right.low == INT64_MIN ? INT64_MAX : -right.low);  // of the divisor
  const int64_t largest = most == 0 || is_infinite(most) ? most : most - 1;
  if (kind == FunctionKind::Remainder) {
    const Interval result{left.low < 0 ? std::max(left.low, -largest) : 0,
                          left.high > 0 ? std::min(left.high, largest) : 0};
    return right.low <= 0 && right.high >= 0 ? joined(result, left) : result;
  }
  Interval result{right.low < 0 ? -largest : 0, right.high > 0 ? largest : 0};
  const bool is_itself = left.low >= 0 && right.low > left.high;
  return is_itself ? left : result;
}

auto bits(FunctionKind kind, Interval left, Interval right) -> Interval {
  const bool are_natural = left.low >= 0 && right.low >= 0;
  if (kind == FunctionKind::BitAnd && (left.low >= 0 || right.low >= 0)) {
    return {0, are_natural     ? std::min(left.high, right.high)
               : left.low >= 0 ? left.high
                               : right.high};
  }
  const auto magnitude = [](int64_t end) { return static_cast<uint64_t>(end < 0 ? ~end : end); };
  const Interval both = joined(left, right);
  const int width = static_cast<int>(std::bit_width(magnitude(both.low) | magnitude(both.high)));
  const int64_t most = width >= 63 ? INT64_MAX : (int64_t{1} << width) - 1;
  return {are_natural ? 0 : -most - 1, most};
}

}  // namespace

auto computed(FunctionKind kind, Width width, Interval left, Interval right) -> Interval {
  const bool wraps_right = kind != FunctionKind::FloorDivide && kind != FunctionKind::Modulo;
  const bool is_comparison = kind == FunctionKind::Equal || kind == FunctionKind::Less;
  const bool fit = fits(left, width) && (!wraps_right || fits(right, width));
  if (width == Width{64, false} && !fit && !is_comparison) {
    return {INT64_MIN, INT64_MAX};  // numbers above the largest with a sign are negative here
  }
  left = wrapped(width, left);
  right = wraps_right ? wrapped(width, right) : right;
  switch (kind) {
    case FunctionKind::Equal: {
      const bool never = left.high < right.low || right.high < left.low;
      const bool always = left.low == left.high && left == right && is_bounded(left);
      return {always ? 1 : 0, never ? 0 : 1};
    }
    case FunctionKind::Less:
      return {left.high < right.low ? 1 : 0, left.low < right.high ? 1 : 0};
    case FunctionKind::Divide:
    case FunctionKind::FloorDivide:
      return quotients(kind, left, right);
    case FunctionKind::Remainder:
    case FunctionKind::Modulo:
      return remainders(kind, left, right);
    case FunctionKind::BitAnd:
    case FunctionKind::BitOr:
    case FunctionKind::BitXor:
      return bits(kind, left, right);
    case FunctionKind::Select:  // of three operands
    case FunctionKind::Ramp:
    case FunctionKind::Step:
    case FunctionKind::Sqrt:
    case FunctionKind::Rsqrt:
    case FunctionKind::Reciprocal:
    case FunctionKind::Exp:
    case FunctionKind::Log:
    case FunctionKind::Sigmoid:
    case FunctionKind::Tanh:
    case FunctionKind::Erf:
    case FunctionKind::Sin:
    case FunctionKind::Cos:
    case FunctionKind::Promise:
    case FunctionKind::Masked:
      break;
  }
  return {INT64_MIN, INT64_MAX};
}

auto squared(Interval value) -> Interval {
  int64_t low = product_of_ends(value.low, value.low);
  int64_t high = product_of_ends(value.high, value.high);
  bool has_zero = value.low <= 0 && value.high >= 0;
  return {has_zero ? 0 : std::min(low, high), std::max(low, high)};
}

auto repeated(Operator op, Interval value, int64_t n) -> Interval {
  Interval result = op == Operator::Multiply ? Interval{1, 1} : Interval{0, 0};
  for (Interval power = value; n > 0; n /= 2) {
    result = n % 2 != 0 ? combined(op, result, power) : result;
    power = combined(op, power, power);
  }
  return result;
}

auto joined(Interval a, Interval b) -> Interval {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

auto shared_part(Interval a, Interval b) -> Interval {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

}  // namespace tacet::array
