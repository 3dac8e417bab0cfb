#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "compiler/he/approximate/series.h"

/// Polynomials between -1 and 1, by arcs of the half circle: the numbers of an arc are the cosines
/// of its angles. What is known by arc is a number for each.
namespace tacet::he_lower {

inline constexpr size_t kArcs = 4096;

/// The values of a polynomial in the middle of each arc, and how far others of the arc may be from
/// that: by the derivative there, and for what that changes by the second one, since T_k(cos a) =
/// cos(k a). O(degree * arcs).
struct PolynomialArcs {
  explicit PolynomialArcs(const approximate::Series& series);

  /// No absolute value in the arc is larger.
  [[nodiscard]] auto most(size_t arc) const -> double { return std::abs(values[arc]) + reach[arc]; }

  std::vector<double> values;
  std::vector<double> reach;
};

/// By arc: the largest of the arcs that a polynomial with values from -1 to 1 leads to.
auto led_to(const PolynomialArcs& polynomial, const std::vector<double>& by_arc)
    -> std::vector<double>;

/// By arc that such a polynomial leads to: the largest of the arcs that it comes from.
auto led_from(const PolynomialArcs& polynomial, const std::vector<double>& by_arc)
    -> std::vector<double>;

}  // namespace tacet::he_lower
