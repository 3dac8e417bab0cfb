#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "compiler/he/approximate/certify.h"
#include "compiler/he/approximate/evaluation.h"

/// Functions of a real number as polynomials, which encrypted numbers have instead.
namespace tacet::approximate {

/// How a function is computed on an interval: u = scale * x + shift, then the series in
/// sequence, each of what the one before gives.
struct Approximation {
  array::FunctionKind kind{};
  RealInterval x;  ///< of the operand
  Scaling scaling;
  std::vector<Series> stages;
  /// What the stages give is the sign of x: the result is `half` x (1 + sign) of a ramp.
  bool is_sign = false;
  double error = 0;         ///< certified: no result is farther from the function
  unsigned levels = 0;      ///< products in sequence, those with constants included
  unsigned n_products = 0;  ///< of two encrypted numbers

  /// Of the composition; of one series, its own.
  [[nodiscard]] auto degree() const -> unsigned;
  [[nodiscard]] auto is_scaled() const -> bool { return scaling.scale != 1 || scaling.shift != 0; }
};

/// The approximation of a function on an interval whose certified error is at most `error` with the
/// fewest levels; of these, with the fewest products.
///
/// One series is tried in the interval itself, and of functions with a symmetry in the interval
/// around 0, with half the coefficients. Its degree is the least one that is enough, up to 511. Of
/// a ramp a composition of odd polynomials that gives the sign is tried as well (Lee, Lee, No and
/// Kim, "Minimax Approximation of Sign Function by Composite Polynomial for Homomorphic
/// Comparison"; the degrees are found by search).
///
/// An error says why there is none: a clause about the operand.
auto choose_approximation(array::FunctionKind kind, RealInterval x, double error)
    -> Result<Approximation>;

/// What the polynomials give of x, in the interval.
auto value_at(const Approximation& approximation, double x) -> double;

/// Computes what follows the scaling, which made u of x; `factor` times `multiple` is x / 2.
template <class Ops>
auto evaluate_scaled(const Approximation& approximation, typename Ops::Id u, double factor,
                     typename Ops::Id multiple, Ops& ops) -> typename Ops::Id {
  typename Ops::Id value = u;
  for (const Series& stage : approximation.stages) {
    value = Evaluation<Ops>(ops, value, plan_of(stage).baby).value(stage);
  }
  if (!approximation.is_sign) {
    return value;
  }
  const typename Ops::Id half = ops.scaled(factor, multiple);
  return ops.sum(ops.product(half, value), half);
}

/// Computes an approximation of x with operations like those of `Evaluation`.
template <class Ops>
auto evaluate(const Approximation& approximation, typename Ops::Id x, Ops& ops) ->
    typename Ops::Id {
  typename Ops::Id value = x;
  if (approximation.scaling.scale != 1) {
    value = ops.scaled(approximation.scaling.scale, value);
  }
  if (approximation.scaling.shift != 0) {
    value = ops.sum(value, ops.constant(approximation.scaling.shift));
  }
  return evaluate_scaled(approximation, value, 0.5, x, ops);
}

}  // namespace tacet::approximate
