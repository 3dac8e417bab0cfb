#include "compiler/he/approximate/series.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace tacet::approximate {

auto degree_of(const Series& series) -> unsigned {
  size_t n = series.size();
  while (n > 1 && series[n - 1] == 0) {
    --n;
  }
  return n == 0 ? 0 : static_cast<unsigned>(n - 1);
}

auto value_at(const Series& series, long double u) -> long double {
  long double b1 = 0;
  long double b2 = 0;
  for (size_t k = series.size(); k-- > 1;) {
    const long double b = series[k] + 2 * u * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return series.empty() ? 0 : series[0] + u * b1 - b2;
}

namespace {

/// The coefficients of T_1, T_3, …, if all others are 0.
auto odd_coefficients(const Series& series) -> std::optional<Series> {
  Series odd;
  for (size_t k = 0; k < series.size(); ++k) {
    if (k % 2 == 1) {
      odd.push_back(series[k]);
    } else if (series[k] != 0) {
      return std::nullopt;
    }
  }
  return odd;
}

/// By the recurrence T_(k + 2) = 2 T_2 T_k - T_(k - 2): half the steps.
auto odd_value_at(const Series& odd, long double u) -> long double {
  const long double t2 = 2 * u * u - 1;
  long double b1 = 0;
  long double b2 = 0;
  for (size_t k = odd.size(); k-- > 1;) {
    const long double b = odd[k] + 2 * t2 * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return u * (odd[0] + (2 * t2 - 1) * b1 - b2);
}

}  // namespace

auto points_in(RealInterval interval, unsigned n_points) -> std::vector<long double> {
  const long double middle = (static_cast<long double>(interval.low) + interval.high) / 2;
  const long double half = (static_cast<long double>(interval.high) - interval.low) / 2;
  const long double step = std::numbers::pi_v<long double> / n_points;
  const long double step_cosine = std::cos(step);
  const long double step_sine = std::sin(step);
  // Steps are rotations; a few of them, as each rounds.
  constexpr unsigned kMostRotations = 32;
  std::vector<long double> points(n_points);
  long double cosine = 1;
  long double sine = 0;
  for (unsigned i = 0; i < n_points; ++i) {
    if (i % kMostRotations == 0) {
      cosine = std::cos((i + 0.5L) * step);
      sine = std::sin((i + 0.5L) * step);
    }
    points[i] = middle - half * cosine;
    const long double next = cosine * step_cosine - sine * step_sine;
    sine = sine * step_cosine + cosine * step_sine;
    cosine = next;
  }
  return points;
}

auto factor_of(unsigned n, unsigned n_points) -> double {
  return 1 / std::cos(n * std::numbers::pi / (2.0 * n_points));
}

auto range_of(const Series& series, RealInterval u, unsigned points_per_degree) -> RealInterval {
  const unsigned n = degree_of(series);
  if (n <= 1) {
    const auto a = static_cast<double>(value_at(series, u.low));
    const auto b = static_cast<double>(value_at(series, u.high));
    return {std::min(a, b), std::max(a, b)};
  }
  const std::optional<Series> odd = odd_coefficients(series);
  long double low = INFINITY;
  long double high = -INFINITY;
  for (const long double point : points_in(u, points_per_degree * n)) {
    const long double value = odd ? odd_value_at(*odd, point) : value_at(series, point);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // p less the middle of its values is a polynomial of the same degree.
  const auto middle = static_cast<double>((low + high) / 2);
  const double half = static_cast<double>((high - low) / 2) * factor_of(n, points_per_degree * n);
  const double rounding = 0x1p-50 * (std::abs(middle) + half);
  return {middle - half - rounding, middle + half + rounding};
}

auto divided(const Series& series, unsigned g) -> Division {
  const unsigned n = degree_of(series);
  Division result{.quotient = Series(n - g + 1),
                  .rest = Series(series.begin(), series.begin() + g)};
  result.quotient[0] = series[g];
  for (unsigned i = 1; i <= n - g; ++i) {
    // T_(g + i) = 2 T_g T_i - T_(g - i)
    result.quotient[i] = 2 * series[g + i];
    result.rest[g - i] -= series[g + i];
  }
  return result;
}

}  // namespace tacet::approximate
