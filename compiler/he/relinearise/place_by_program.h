#pragma once

#include "compiler/he/relinearise/plan.h"

namespace tacet::relinearise {

struct ProgramLimits {
  double seconds = 5;  ///< for all of it; what comes out when they are over depends on the machine
  int max_nodes = 100'000;  ///< of branch and bound, in each part of the graph
  double gap = 0;           ///< a plan is good enough if no other is better by more than this part
};

/// A plan and what is known of how good it is.
struct BoundedPlan {
  Plan plan;
  double cost = 0;
  double bound = 0;  ///< no plan costs less
  bool is_optimal = false;

  /// How much cheaper a plan could be at most, as a part of the cost.
  [[nodiscard]] auto gap() const -> double { return cost > 0 ? (cost - bound) / cost : 0; }
};

/// The cheapest plan for any largest degree that is found within limits, by an integer linear
/// program that CBC solves, in the calling thread and in silence. The cheaper one of the lazy plan
/// and the cut's is the start, and the answer if nothing better is found.
///
/// Degrees are told in unary: z(v, k) says that v is computed with degree k or more, y(v, k) that
/// it keeps that, for k from two to the largest degree.
///
///     y(v, k) <= z(v, k)                          a relinearisation makes degrees smaller,
///     y(v, k) - z(v, k) >= y(v, 2) - z(v, 2)      and down to one or not at all
///     sum over k of z(p, k) = 1 + sum over k of y(a, k) + y(b, k)      a product p of a and b
///     z(p, i + j) >= y(a, i) + y(b, j) - 1        the same, once more, for a tighter relaxation
///     z(s, k) >= y(a, k), or =                    a sum s, where degrees may mix, or must not
///
/// A relinearisation costs where z(v, 2) - y(v, 2) is one. The model that HEIR's
/// optimize-relinearization states has a degree as one integer and a binary variable beside it that
/// a large constant switches; here there is no such constant, so relaxations are tight: for a
/// largest degree of two they are the minimum cut itself. With `Uses::Apart` each use has its own
/// y.
///
/// The graph falls into parts that share no variable, which are solved one by one.
auto place_by_program(const Graph& graph, const Rules& rules, const ProgramLimits& limits = {})
    -> BoundedPlan;

}  // namespace tacet::relinearise
