#pragma once

#include <span>
#include <vector>

#include "base/double_double.h"
#include "compiler/device/array/real_functions.h"

namespace tacet::approximate {

using array::RealInterval;

/// The sum of coefficients[k] T_k(u), in Chebyshev polynomials.
using Series = std::vector<double>;

/// The last coefficient other than 0; 0 of a constant.
auto degree_of(const Series& series) -> unsigned;

/// p(u), by Clenshaw's recurrence.
auto value_at(const Series& series, DoubleDouble u) -> DoubleDouble;

/// p of many numbers, rounded where doubles round: each is off by at most `evaluation_error` of the
/// series and the largest magnitude among `u`.
void values_at(const Series& series, std::span<const double> u, std::span<double> values);

/// Clenshaw's recurrence passes an error of a step on times a Chebyshev polynomial of the second
/// kind, which is at most as large as its degree, more beyond 1; each step adds some units.
auto evaluation_error(const Series& series, double largest) -> double;

/// Of a polynomial of degree `n` in an interval: `n_points` numbers there, such that its largest
/// absolute value is at most `factor_of(n, n_points)` times the largest at these (Ehlich and
/// Zeller, "Schwankung von Polynomen zwischen Gitterpunkten"): the zeros of a Chebyshev polynomial.
/// `n_points` is larger than `n`. As points are doubles, they are off: `factor_in` is larger by
/// what that adds in an interval.
auto points_in(RealInterval interval, unsigned n_points) -> std::vector<double>;
auto factor_of(unsigned n, unsigned n_points) -> double;
auto factor_in(RealInterval interval, unsigned n, unsigned n_points) -> double;

/// An interval that holds p of all numbers in another: wider than the least by at most a hundredth,
/// or with more points less, by the square of their number.
auto range_of(const Series& series, RealInterval u, unsigned points_per_degree = 16)
    -> RealInterval;

/// p = quotient * T_g + rest, for g at most the degree, which is less than 2 g.
struct Division {
  Series quotient;
  Series rest;
};
auto divided(const Series& series, unsigned g) -> Division;

}  // namespace tacet::approximate
