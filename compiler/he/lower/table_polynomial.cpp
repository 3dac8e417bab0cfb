#include "compiler/he/lower/table_polynomial.h"

#include <algorithm>
#include <iterator>

namespace tacet::he_lower {
namespace {

using array::Interval;
using Form = TablePolynomial::Form;

auto width_of(Interval interval) -> int64_t {
  return interval.high - interval.low + 1;
}

/// The least interval around twice_center / 2 that contains `domain`.
auto around(int64_t twice_center, Interval domain) -> Interval {
  return {std::min(domain.low, twice_center - domain.high),
          std::max(domain.high, twice_center - domain.low)};
}

auto values_on(const std::function<int64_t(int64_t)>& function, Interval domain)
    -> std::vector<int64_t> {
  std::vector<int64_t> values;
  for (int64_t x = domain.low; x <= domain.high; ++x) {
    values.push_back(function(x));
  }
  return values;
}

/// Whether opposite values differ by a multiple of how far they are apart.
auto is_even_but_for_slope(const std::vector<int64_t>& values) -> bool {
  const auto last = static_cast<int64_t>(values.size()) - 1;
  const auto difference = [&](int64_t i) {
    return values[static_cast<size_t>(last - i)] - values[static_cast<size_t>(i)];
  };
  for (int64_t i = 0; i <= last; ++i) {
    if (difference(i) * last != difference(0) * (last - 2 * i)) {
      return false;
    }
  }
  return true;
}

/// Whether opposite values have one and the same sum.
auto is_odd_but_for_constant(const std::vector<int64_t>& values) -> bool {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] + values[values.size() - 1 - i] != values.front() + values.back()) {
      return false;
    }
  }
  return true;
}

/// The coefficients of even or of odd powers.
auto every_second(const std::vector<int64_t>& coefficients, size_t first) -> std::vector<int64_t> {
  std::vector<int64_t> result;
  for (size_t i = first; i < coefficients.size(); i += 2) {
    result.push_back(coefficients[i]);
  }
  return result;
}

void set_plan(TablePolynomial& polynomial) {
  polynomial.plan = plan_polynomial(polynomial.coefficients);
  if (polynomial.form != Form::Plain && !polynomial.coefficients.empty()) {
    const bool is_square_used = polynomial.coefficients.size() > 1;
    const bool is_multiplied = polynomial.form == Form::Odd && is_square_used;
    polynomial.plan.n_products += (is_square_used ? 1 : 0) + (is_multiplied ? 1 : 0);
    polynomial.plan.depth += (is_square_used ? 1 : 0) + (is_multiplied ? 1 : 0);
  }
}

/// Twice the middle between the first and the last number around which the function is no straight
/// line; it is only symmetric there, if at all.
auto center_of_bends(const std::function<int64_t(int64_t)>& function, Interval domain) -> int64_t {
  std::optional<int64_t> first;
  int64_t last = 0;
  for (int64_t x = domain.low + 1; x < domain.high; ++x) {
    if (function(x + 1) - function(x) != function(x) - function(x - 1)) {
      first = first.value_or(x);
      last = x;
    }
  }
  return first ? *first + last : domain.low + domain.high;
}

/// As a polynomial in a square around twice_center / 2. `plain` are the coefficients on the
/// interval itself.
auto in_square(const std::function<int64_t(int64_t)>& function, Interval domain,
               int64_t twice_center, const std::vector<int64_t>& plain, uint64_t t)
    -> std::optional<TablePolynomial> {
  const Interval wide = around(twice_center, domain);
  if (width_of(wide) > 2 * kMostValues) {
    return {};
  }
  const std::vector<int64_t> values = values_on(function, wide);
  const bool is_even = is_even_but_for_slope(values);
  if (!is_even && !is_odd_but_for_constant(values)) {
    return {};
  }
  TablePolynomial result;
  const bool is_half = twice_center % 2 != 0;
  result.form = is_even ? Form::Even : Form::Odd;
  result.factor = is_half ? 2 : 1;
  result.shift = is_half ? -twice_center : -twice_center / 2;
  const std::vector<int64_t> coefficients =
      twice_center == 0 && width_of(wide) == width_of(domain)
          ? plain
          : interpolate(values, result.factor * wide.low + result.shift, result.factor, t);
  result.coefficients = every_second(coefficients, is_even ? 0 : 1);
  result.slope = is_even && coefficients.size() > 1 ? coefficients[1] : 0;
  result.constant = is_even || coefficients.empty() ? 0 : coefficients.front();
  set_plan(result);
  return result;
}

}  // namespace

auto polynomial_of(const std::function<int64_t(int64_t)>& function, Interval domain, uint64_t t)
    -> std::optional<TablePolynomial> {
  if (domain.high - domain.low >= kMostValues) {
    return {};
  }
  TablePolynomial best;
  const std::vector<int64_t> plain = interpolate(values_on(function, domain), domain.low, 1, t);
  best.coefficients = plain;
  set_plan(best);
  const int64_t centers[] = {domain.low + domain.high, 0, -1, center_of_bends(function, domain)};
  for (size_t i = 0; i < std::size(centers) && best.plan.n_products >= 2; ++i) {
    if (std::find(centers, centers + i, centers[i]) != centers + i) {
      continue;  // compared already
    }
    std::optional<TablePolynomial> other = in_square(function, domain, centers[i], plain, t);
    if (other && other->price() < best.price()) {
      best = std::move(*other);
    }
  }
  return best;
}

}  // namespace tacet::he_lower
