#include "compiler/he/approximate/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/elementary.h"

namespace tacet::approximate {

auto degree_of(const Series& series) -> unsigned {
  size_t n = series.size();
  while (n > 1 && series[n - 1] == 0) {
    --n;
  }
  return n == 0 ? 0 : static_cast<unsigned>(n - 1);
}

auto value_at(const Series& series, DoubleDouble u) -> DoubleDouble {
  const DoubleDouble twice = u * 2;
  DoubleDouble b1;
  DoubleDouble b2;
  for (size_t k = series.size(); k-- > 1;) {
    const DoubleDouble b = twice * b1 - b2 + series[k];
    b2 = b1;
    b1 = b;
  }
  return series.empty() ? DoubleDouble() : u * b1 - b2 + series[0];
}

namespace {

/// As many numbers as are computed at once: the compiler makes vectors of them.
constexpr size_t kLanes = 16;
using Lanes = std::array<double, kLanes>;

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
  return odd.empty() ? std::nullopt : std::optional(std::move(odd));
}

/// b_1 and b_2 of Clenshaw's recurrence with the steps 2 x.
void recur(const Series& coefficients, const Lanes& twice, Lanes& b1, Lanes& b2) {
  b1.fill(0);
  b2.fill(0);
  for (size_t k = coefficients.size(); k-- > 1;) {
    for (size_t i = 0; i < kLanes; ++i) {
      const double b = coefficients[k] + twice[i] * b1[i] - b2[i];
      b2[i] = b1[i];
      b1[i] = b;
    }
  }
}

auto values_of(const Series& series, const Lanes& u) -> Lanes {
  Lanes twice;
  Lanes b1;
  Lanes b2;
  for (size_t i = 0; i < kLanes; ++i) {
    twice[i] = 2 * u[i];
  }
  recur(series, twice, b1, b2);
  Lanes values;
  for (size_t i = 0; i < kLanes; ++i) {
    values[i] = series[0] + u[i] * b1[i] - b2[i];
  }
  return values;
}

/// By the recurrence T_(k + 2) = 2 T_2 T_k - T_(k - 2): half the steps.
auto odd_values_of(const Series& odd, const Lanes& u) -> Lanes {
  Lanes twice;  // T_2
  Lanes b1;
  Lanes b2;
  for (size_t i = 0; i < kLanes; ++i) {
    twice[i] = 4 * u[i] * u[i] - 2;
  }
  recur(odd, twice, b1, b2);
  Lanes values;
  for (size_t i = 0; i < kLanes; ++i) {
    values[i] = u[i] * (odd[0] + (twice[i] - 1) * b1[i] - b2[i]);
  }
  return values;
}

}  // namespace

void values_at(const Series& series, std::span<const double> u, std::span<double> values) {
  const std::optional<Series> odd = odd_coefficients(series);
  for (size_t first = 0; first < u.size(); first += kLanes) {
    const size_t n = std::min(kLanes, u.size() - first);
    Lanes lanes{};
    std::copy_n(u.begin() + static_cast<ptrdiff_t>(first), n, lanes.begin());
    lanes = odd ? odd_values_of(*odd, lanes) : series.empty() ? Lanes{} : values_of(series, lanes);
    std::copy_n(lanes.begin(), n, values.begin() + static_cast<ptrdiff_t>(first));
  }
}

/// Of magnitudes up to `largest`, at least |T_n|^2: T_n(1 + d) is at most e^(n sqrt(2 d)).
static auto growth_at(double n, double largest) -> double {
  return largest > 1 ? elementary::exp(2 * n * std::sqrt(2 * (largest - 1))) : 1;
}

/// Of the magnitudes of the coefficients.
static auto sum_of_magnitudes(const Series& series) -> double {
  double sum = 0;
  for (const double coefficient : series) {
    sum += std::abs(coefficient);
  }
  return sum;
}

auto evaluation_error(const Series& series, double largest) -> double {
  const double n = degree_of(series) + 1;
  return 0x1p-51 * n * n * sum_of_magnitudes(series) * growth_at(n, largest);
}

auto points_in(RealInterval interval, unsigned n_points) -> std::vector<double> {
  const double middle = interval.low / 2 + interval.high / 2;
  const double half = interval.high / 2 - interval.low / 2;
  const double step = std::numbers::pi / n_points;
  const double step_cosine = elementary::cos(step);
  const double step_sine = elementary::sin(step);
  // Steps are rotations; a few of them, as each rounds.
  constexpr unsigned kMostRotations = 8;
  std::vector<double> points(n_points);
  double cosine = 1;
  double sine = 0;
  for (unsigned i = 0; i < n_points; ++i) {
    if (i % kMostRotations == 0) {
      cosine = elementary::cos((i + 0.5) * step);
      sine = elementary::sin((i + 0.5) * step);
    }
    points[i] = std::clamp(middle - half * cosine, interval.low, interval.high);
    const double next = cosine * step_cosine - sine * step_sine;
    sine = sine * step_cosine + cosine * step_sine;
    cosine = next;
  }
  return points;
}

auto factor_of(unsigned n, unsigned n_points) -> double {
  return 1 / elementary::cos(n * std::numbers::pi / (2.0 * n_points));
}

auto factor_in(RealInterval interval, unsigned n, unsigned n_points) -> double {
  // A point that is off by d, in parts of half the interval, is off by at most 2 d n_points / pi in
  // the angle whose cosine it is, where the polynomial changes by n times as much at most.
  constexpr double kOff = 0x1p-49;      // of cosines
  constexpr double kRounded = 0x1p-52;  // of sums, in parts of the largest number
  const double largest = std::max(std::abs(interval.low), std::abs(interval.high));
  const double half = (interval.high - interval.low) / 2;
  const double change = (kOff + kRounded * largest / half) * n_points * n;
  return change < 0.5 ? factor_of(n, n_points) * (1 + 2 * change) : INFINITY;
}

auto range_of(const Series& series, RealInterval u, unsigned points_per_degree) -> RealInterval {
  const unsigned n = degree_of(series);
  const double largest = std::max(std::abs(u.low), std::abs(u.high));
  const double rounding = evaluation_error(series, largest);
  std::vector<double> points{u.low, u.high};
  if (n > 1 && u.low < u.high) {
    points = points_in(u, points_per_degree * n);
  }
  std::vector<double> values(points.size());
  values_at(series, points, values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least - rounding;
  const double high = *most + rounding;
  if (n <= 1) {
    return {low, high};
  }
  // p less the middle of its values is a polynomial of the same degree.
  const double middle = (low + high) / 2;
  const double half =
      u.low < u.high ? (high - low) / 2 * factor_in(u, n, points_per_degree * n) : 0;
  // Of the narrowest intervals, by Markov's inequality.
  const double change =
      (u.high - u.low) * n * n * sum_of_magnitudes(series) * growth_at(n, largest);
  return {std::max(middle - half, low - change), std::min(middle + half, high + change)};
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
