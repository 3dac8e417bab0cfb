#include "compiler/he/approximate/series.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

auto points_in(RealInterval interval, unsigned n_points) -> std::vector<long double> {
  const long double middle = (static_cast<long double>(interval.low) + interval.high) / 2;
  const long double half = (static_cast<long double>(interval.high) - interval.low) / 2;
  std::vector<long double> points(n_points);
  for (unsigned i = 0; i < n_points; ++i) {
    const long double angle = (i + 0.5L) * std::numbers::pi_v<long double> / n_points;
    points[i] = middle - half * std::cos(angle);
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
  long double low = INFINITY;
  long double high = -INFINITY;
  for (const long double point : points_in(u, points_per_degree * n)) {
    const long double value = value_at(series, point);
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
