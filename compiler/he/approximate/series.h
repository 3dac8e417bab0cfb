#pragma once

#include <vector>

#include "compiler/device/array/real_functions.h"

namespace tacet::approximate {

using array::RealInterval;

/// The sum of coefficients[k] T_k(u), in Chebyshev polynomials.
using Series = std::vector<double>;

/// The last coefficient other than 0; 0 of a constant.
auto degree_of(const Series& series) -> unsigned;

/// p(u), by Clenshaw's recurrence.
auto value_at(const Series& series, long double u) -> long double;

/// Of a polynomial of degree `n` in an interval: `n_points` numbers there, such that its largest
/// absolute value is at most `factor_of(n, n_points)` times the largest at these (Ehlich and
/// Zeller, "Schwankung von Polynomen zwischen Gitterpunkten"): the zeros of a Chebyshev polynomial.
/// `n_points` is larger than `n`.
auto points_in(RealInterval interval, unsigned n_points) -> std::vector<long double>;
auto factor_of(unsigned n, unsigned n_points) -> double;

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
