#pragma once

#include "compiler/core/egraph/rewrite.h"
#include "compiler/he/circuit/terms.h"

namespace tacet::circuit {

using TermKey = egraph::AnalysisKey<TermDomain>;

/// What circuits may be rewritten by: equalities that hold in every commutative ring, for all steps
/// and loops. `?x` stands for a vector, `?s` for steps, `?l` for a loop. Names begin with the
/// group:
///
///   * `ring`: associativity, commutativity, distributivity, subtraction;
///   * `rot`, `swap`: they distribute over + - *; rotations merge and split;
///   * `uniform`: what is the same in all slots is its own rotation;
///   * `clear`: what is known in plaintext is rotated instead of a ciphertext that it meets;
///   * `sum`, `product`: they distribute over what they are homomorphisms of; rotations and factors
///     that do not mention the loop move out; what does not mention it at all is multiplied;
///   * `joint`: reductions by the same rotation of two operands become one of both together.
///
/// Left out: the expansion of numbers into sums, x + x = 2 * x (the right side is never cheaper),
/// and products over a loop of sums as sums, which do not hold.
///
/// A reduction's loop is bound once on each path, so what moves below a reduction must not bind its
/// loop again. `ops`, `circuit` and the analysis behind `key` outlive the rules.
auto circuit_rules(TermOps& ops, const Circuit& circuit, TermKey key)
    -> std::vector<egraph::Rewrite>;

}  // namespace tacet::circuit
