#include "compiler/he/approximate/certify.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/elementary.h"

namespace tacet::approximate {
namespace {

using array::FunctionKind;

/// What is known of f in the complex plane around a piece.
struct Ellipse {
  double rho = 1;    ///< sum of its half axes, by that of the piece
  double bound = 0;  ///< of |f| in it
};

constexpr double kMostPoints = 20'000;
constexpr double kRatioOfPieces = 8;

/// The ellipse whose half axis across the piece is `y`.
auto across(double half, double y) -> double {
  const double ratio = y / half;
  return ratio + std::sqrt(ratio * ratio + 1);
}

/// Ellipses of functions that have poles at odd multiples of `pole` on the imaginary axis, for each
/// of a few heights.
template <class Bound>
auto with_poles(double half, double pole, const Bound& bound) -> std::vector<Ellipse> {
  std::vector<Ellipse> ellipses;
  for (const double part : {0.5, 0.75, 0.9, 0.97}) {
    ellipses.push_back({across(half, part * pole), bound(part * std::numbers::pi)});
  }
  return ellipses;
}

/// Ellipses that stay off 0, around a piece of positive numbers.
auto off_zero(FunctionKind kind, RealInterval x) -> std::vector<Ellipse> {
  std::vector<Ellipse> ellipses;
  const double middle = (x.low + x.high) / 2;
  const double half = (x.high - x.low) / 2;
  for (const double part : {0.6, 0.3, 0.1, 0.02}) {
    const double least = part * x.low;
    const double axis = (middle - least) / half;
    const double most = middle + half * axis;
    const double bound = kind == FunctionKind::Reciprocal ? 1 / least
                         : kind == FunctionKind::Rsqrt    ? 1 / std::sqrt(least)
                         : kind == FunctionKind::Sqrt     ? std::sqrt(most)
                                                      : std::max(std::abs(elementary::log(least)),
                                                                 std::abs(elementary::log(most))) +
                                                            std::numbers::pi / 2;
    ellipses.push_back({axis + std::sqrt(axis * axis - 1), bound});
  }
  return ellipses;
}

/// Of functions without poles that are bounded along the real axis: the sine and the cosine by
/// cosh(y), and erf(x + iy), integrated along x and then along y, by 1 + 2 / sqrt(pi) y e^(y^2).
auto entire(FunctionKind kind, double half) -> std::vector<Ellipse> {
  std::vector<Ellipse> ellipses;
  for (const double y : {0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 40.0, 100.0}) {
    const double bound = kind == FunctionKind::Erf
                             ? 1 + 2 * std::numbers::inv_sqrtpi * y * elementary::exp(y * y)
                             : (elementary::exp(y) + elementary::exp(-y)) / 2;
    if (std::isfinite(bound)) {
      ellipses.push_back({across(half, y), bound});
    }
  }
  return ellipses;
}

auto ellipses_of(FunctionKind kind, RealInterval x) -> std::vector<Ellipse> {
  const double half = (x.high - x.low) / 2;
  if (kind == FunctionKind::Exp) {
    std::vector<Ellipse> ellipses;
    for (const double rho : {1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 64.0}) {
      ellipses.push_back({rho, elementary::exp((x.low + x.high) / 2 + half * (rho + 1 / rho) / 2)});
    }
    return ellipses;
  }
  if (kind == FunctionKind::Sin || kind == FunctionKind::Cos || kind == FunctionKind::Erf) {
    return entire(kind, half);
  }
  if (kind == FunctionKind::Sigmoid) {
    // |1 + e^-z| is at least |sin y|, and 1 where the cosine of y is positive.
    return with_poles(half, std::numbers::pi, [](double y) {
      return y <= std::numbers::pi / 2 ? 1 : 1 / elementary::sin(y);
    });
  }
  if (kind == FunctionKind::Tanh) {
    return with_poles(half, std::numbers::pi / 2, [](double y) {
      return 1 + 2 * (y <= std::numbers::pi / 2 ? 1 : 1 / elementary::sin(y));
    });
  }
  return off_zero(kind, x.low > 0 ? x : RealInterval{-x.high, -x.low});
}

/// The least degree of a polynomial that is within `distance` of f on a piece.
auto degree_within(FunctionKind kind, RealInterval x, double distance) -> double {
  double least = INFINITY;
  for (const auto& [rho, bound] : ellipses_of(kind, x)) {
    const double degree =
        elementary::log(4 * bound / (distance * (rho - 1))) / elementary::log(rho);
    least = std::min(least, std::max(degree, 1.0));
  }
  return std::ceil(least);
}

class Certifier {
 public:
  Certifier(FunctionKind kind, const Scaling& scaling, const Series& series)
      : kind_(kind), scaling_(scaling), series_(series) {}

  auto run(RealInterval x) -> double {
    if (kind_ == FunctionKind::Ramp) {
      return std::max(x.low < 0 ? piece({x.low, std::min(x.high, 0.0)}, 1, 0) : 0,
                      x.high > 0 ? piece({std::max(x.low, 0.0), x.high}, 1, 0) : 0);
    }
    if (kind_ == FunctionKind::Sqrt) {
      return root(x);
    }
    const bool has_pole = kind_ == FunctionKind::Rsqrt || kind_ == FunctionKind::Log ||
                          kind_ == FunctionKind::Reciprocal;
    return has_pole ? off_zero_pieces(x) : analytic_piece(x);
  }

 private:
  [[nodiscard]] auto error_at(double x) const -> double {
    const DoubleDouble error =
        DoubleDouble(array::real_value(kind_, x)) - value_at(series_, scaling_.at(x));
    return std::abs(error.high);
  }

  /// What `values_at` may be off, for numbers of an interval, with the rounding of what it is for.
  [[nodiscard]] auto evaluation_error_in(RealInterval x) const -> double {
    const double largest = std::max(std::abs(x.low), std::abs(x.high));
    const RealInterval u = ordered(x);
    const double terms = std::abs(scaling_.scale) * largest + std::abs(scaling_.shift);
    return evaluation_error(series_, std::max(std::abs(u.low), std::abs(u.high))) * (1 + terms);
  }

  /// Doubles show where errors may be largest, and these are computed with more bits.
  [[nodiscard]] auto largest_error(const std::vector<double>& points, RealInterval x) const
      -> double {
    std::vector<double> errors;
    std::vector<double> u;
    for (const double point : points) {
      u.push_back(scaling_.near(point));
    }
    errors.resize(u.size());
    values_at(series_, u, errors);
    double most = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      errors[i] = std::abs(array::real_value(kind_, points[i]) - errors[i]);
      most = std::max(most, errors[i]);
    }
    const double slack = 2 * evaluation_error_in(x);
    double largest = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      if (!(errors[i] < most - slack)) {
        largest = std::max(largest, error_at(points[i]));
      }
    }
    return largest;
  }

  /// Where f is within `tail` of a polynomial of degree `n`.
  [[nodiscard]] auto piece(RealInterval x, unsigned n, double tail) const -> double {
    constexpr unsigned kPointsPerDegree = 8;
    n = std::max({n, degree_of(series_), 1U});
    const unsigned n_points = kPointsPerDegree * n;
    const double largest = largest_error(points_in(x, n_points), x);
    return (largest + tail) * factor_in(x, n, n_points) + tail;
  }

  [[nodiscard]] auto ordered(RealInterval x) const -> RealInterval {
    const auto a = static_cast<double>(scaling_.at(x.low));
    const auto b = static_cast<double>(scaling_.at(x.high));
    return {std::min(a, b), std::max(a, b)};
  }

  [[nodiscard]] auto analytic_piece(RealInterval x) const -> double {
    if (!(x.low < x.high)) {
      return error_at(x.low) * (1 + 0x1p-40);
    }
    const double size = std::max(error_at(x.low), error_at((x.low + x.high) / 2));
    const double tail = std::max(size / 256, 0x1p-52);
    const double n = degree_within(kind_, x, tail);
    return n > kMostPoints ? INFINITY : piece(x, static_cast<unsigned>(n), tail);
  }

  [[nodiscard]] auto off_zero_pieces(RealInterval x) const -> double {
    const double sign = x.low > 0 ? 1 : -1;
    double least = std::min(std::abs(x.low), std::abs(x.high));
    const double most = std::max(std::abs(x.low), std::abs(x.high));
    double error = 0;
    do {
      const double next = std::min(least * kRatioOfPieces, most);
      error = std::max(error, analytic_piece(sign > 0 ? RealInterval{least, next}
                                                      : RealInterval{-next, -least}));
      least = next;
    } while (least < most);
    return error;
  }

  /// Left of 0 a root is 0, and near it less than the root of what is near.
  [[nodiscard]] auto root(RealInterval x) const -> double {
    if (x.low > 0) {
      return off_zero_pieces(x);
    }
    const double size = std::max(error_at(0), 0x1p-60);
    const double near = std::min(size * size / 65536, x.high);
    const RealInterval values = range_of(series_, ordered({x.low, std::max(near, 0.0)}));
    const double most = near > 0 ? std::sqrt(near) : 0;
    const double error = std::max(values.high, most - values.low);
    return near > 0 && near < x.high ? std::max(error, off_zero_pieces({near, x.high})) : error;
  }

  FunctionKind kind_;
  const Scaling& scaling_;
  const Series& series_;
};

}  // namespace

auto certified_error(FunctionKind kind, RealInterval x, const Scaling& scaling,
                     const Series& series) -> double {
  double size = 0;
  for (const double coefficient : series) {
    size += std::abs(coefficient);
  }
  // Coefficients are rounded where they are divided and encoded, and what f is where it is
  // computed.
  const double rounding = (0x1p-48 + 0x1p-49) * size;
  return Certifier(kind, scaling, series).run(x) + rounding;
}

}  // namespace tacet::approximate
