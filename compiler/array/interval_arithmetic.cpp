#include "compiler/array/interval_arithmetic.h"

#include <algorithm>
#include <initializer_list>

namespace tacet::array {

namespace {

__extension__ using Wide = __int128;

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
