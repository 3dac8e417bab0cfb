#pragma once

#include <functional>

#include "compiler/he/circuit/counts.h"

namespace tacet::circuit {

/// What bounds the search, and who watches it. Nothing depends on a clock.
struct OptimiseOptions {
  Weights weights;
  size_t max_nodes = 2000;                  ///< of each e-graph
  size_t max_rounds = 12;                   ///< of rewriting in each of them
  size_t max_steps = 10'000;                ///< of each extraction
  size_t max_passes = 2;                    ///< from the best circuit so far
  std::function<bool()> is_cancelled = {};  ///< true ends the search with the best so far
};

/// Pass: optimise
///
/// Equality saturation over all statements (Recto and Myers, section 6.2; Willsey et al., egg): the
/// rules of commutative rings, of rotations and swaps, which distribute over all operations, and of
/// reductions (`rules.h`), then the cheapest choice of nodes, sharing paid once, rotations and
/// depth counted; exact if `max_steps` suffice. A node costs what its operation costs on operands
/// of their kinds, times the values of the loops that it depends on. What a choice really costs,
/// keys and hoisting included, is `cost_of` of the circuit that it gives: the best of several
/// choices is taken, and the circuit that went in if none is cheaper.
///
/// Each pass grows three e-graphs: one without rules that make terms larger or only put operands in
/// another order, one without the former, one by all rules. The fewer rules, the further they get
/// before a graph is full. Each begins with the best circuit so far.
///
/// Before:                                After:
///   x * a + x * b                          x * (a + b)
///   sum(i: rot(x[i] * w[i], 1))            rot(sum(i: x[i] * w[i]), 1)
///
/// Deviations from the paper: no integer program (`egraph/extract_dag.h`, `share.h`); the rule for
/// products over loops that makes them sums is left out, which is unsound; reductions by rotation
/// are joined.
///
/// Statements, loops and outputs stay what they are, nodes are numbered anew. Deterministic.
auto optimise(const Circuit& circuit, const OptimiseOptions& options) -> Circuit;

}  // namespace tacet::circuit
