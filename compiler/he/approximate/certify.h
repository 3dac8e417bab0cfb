#pragma once

#include "compiler/he/approximate/series.h"

namespace tacet::approximate {

/// u = scale * x + shift.
struct Scaling {
  double scale = 1;
  double shift = 0;

  [[nodiscard]] auto at(DoubleDouble x) const -> DoubleDouble { return x * scale + shift; }
  /// As doubles round.
  [[nodiscard]] auto near(double x) const -> double { return x * scale + shift; }
};

/// A bound of |f(x) - p(u(x))| for all x in an interval of the domain of f, not only of samples.
///
/// The interval is divided into pieces where f has a continuation to an ellipse around them, which
/// is bounded there by M, so that it is within 4 M rho^-m / (rho - 1) of a polynomial of degree m
/// (Trefethen, "Approximation Theory and Approximation Practice", theorem 8.2); the difference of
/// that and p is bounded by its values at the points of `points_in`. Next to a root's branch point
/// f is bounded by its values. A ramp is a polynomial on each side. Not of `Step`.
auto certified_error(array::FunctionKind kind, RealInterval x, const Scaling& scaling,
                     const Series& series) -> double;

}  // namespace tacet::approximate
