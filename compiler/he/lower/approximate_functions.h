#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/array/real_bounds.h"
#include "compiler/he/approximate/approximation.h"

namespace tacet::he_lower {

/// A function of a program, and what it is computed as.
struct ApproximatedFunction {
  FileRange place{};
  std::string operand;  ///< as array programs are printed
  approximate::Approximation approximation;
  /// Slots without an element hold other numbers than the interval's, so they are made 0.
  bool is_masked = false;
};

/// `sigmoid(x[i])`, or `max(x[i], 0)` for a function that has no name in programs.
auto function_text(array::FunctionKind kind, const std::string& operand) -> std::string;

/// For people: each function with its interval, its polynomials in Chebyshev's basis, and its cost.
auto to_text(const std::vector<ApproximatedFunction>& functions) -> std::string;

/// A program of reals without functions, and what is known of it only by the functions.
struct ApproximatedProgram {
  std::optional<array::Program> program;  ///< absent exactly if there are diagnostics
  std::vector<Diagnostic> diagnostics;
  array::RealBound result{};  ///< of the program with functions
  std::vector<ApproximatedFunction> functions;
};

/// Pass: approximate-functions
///
/// Replaces every function of a real by a polynomial, as sums and products, so that no element of
/// the result is more than `error` from what exact functions give.
///
/// Before:                              After, with constants u and c0, c1, c3, …:
///   out[i: 4] = sigmoid(a[i])            out[i: 4] = (c1 * %1 + c3 * (%1 * (…))) * … + c0
///                                          %1 = u * a[i]
///
///   * Each function may be off by an equal share of the error of the result, by how much the
///     result depends on it (`array::spread`); the shares are halved until bounds of the whole
///     program agree.
///   * Operands are in the intervals that `array::find_real_bounds` finds, and a little beyond, for
///     what they are off themselves.
///   * What is in slots without an element may be outside of these: the 0 of padding, or parts of
///     sums. There the operand is scaled by `masked(x, scale, shift)`, which makes such slots 0,
///     as polynomials grow fast outside of their interval and a message must fit as a whole.
///
/// Requires: all inputs are bounded.
/// Diagnostics: T6013, for functions whose operand may leave their domain, for steps, and for
/// functions that no polynomial approximates well enough.
auto approximate_functions(const array::Program& program, double error) -> ApproximatedProgram;

}  // namespace tacet::he_lower
