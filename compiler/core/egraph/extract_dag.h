#pragma once

#include <functional>
#include <span>

#include "compiler/core/egraph/extract.h"

namespace tacet::egraph {

/// What one node costs by itself; at least 0.
using NodeCost = std::function<double(const ENode& node)>;

/// A price on depth: the greatest sum of `levels` over the nodes on a path from a root to a leaf.
struct DagDepth {
  std::function<uint32_t(const ENode& node)> levels = {};  ///< none: depth costs nothing
  double price = 0;                                        ///< at least 0
};

struct DagOptions {
  DagDepth depth = {};
  /// How many choices the search may try before it settles for the best that it has.
  size_t max_steps = 1'000'000;
  /// Polled; true ends the search.
  std::function<bool()> is_cancelled = {};
};

struct DagExtraction {
  Choice choice;           ///< of the classes that are needed
  double cost = 0;         ///< of the nodes chosen, each counted once, and of depth
  double lower_bound = 0;  ///< no choice costs less
  bool is_optimal = false;
  size_t n_steps = 0;
};

/// Exact extraction: the choice of nodes for `roots` and all that they need, without a cycle,
/// whose costs have the least sum, a shared class being paid for once, and the depth of the whole.
///
/// A branch and bound over choices, which starts from the greedy choice. Nodes that another node
/// of their class makes needless are dropped first. The bound adds up the cheapest node of each
/// class that every completion must contain: the classes that are needed so far, and what all
/// alternatives of such a class have in common (the dominators of the and-or graph); and the depth
/// of what is decided, open classes taken to be as shallow as they can be. Classes with
/// the fewest alternatives are decided first, so what is forced costs no branching.
///
/// The problem is NP-hard; when the steps run out the best choice so far is returned with a lower
/// bound. `std::nullopt` if some root has no finite term.
auto extract_dag(const EGraph& graph, std::span<const ClassId> roots, const NodeCost& cost,
                 const DagOptions& options = {}) -> std::optional<DagExtraction>;

}  // namespace tacet::egraph
