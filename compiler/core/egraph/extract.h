#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "compiler/core/egraph/egraph.h"

namespace tacet::egraph {

/// A choice of one node for each class that has a finite term. The choices have no cycle.
struct Choice {
  std::vector<NodeId> node_of;  ///< by class id; no node where none was chosen

  [[nodiscard]] auto of(const EGraph& graph, ClassId id) const -> NodeId {
    return node_of[graph.find(id).index];
  }
};

/// The cheapest term of every class, as a tree, for a monotone cost function.
template <class Cost>
struct Extraction {
  Choice choice;
  std::vector<std::optional<Cost>> cost_of;  ///< by class id
};

/// Greedy extraction. `cost(node, child_costs)` is what a term costs whose root is `node` and
/// whose children cost that much; it must be monotone, and no less than any of the child costs
/// (Knuth, A Generalization of Dijkstra's Algorithm, 1977): then each class is settled once, and
/// the choice is the optimum for trees. `Cost` has `<`. Of equal costs the older node wins.
template <class Cost, class CostFunction>
auto extract_trees(const EGraph& graph, CostFunction&& cost) -> Extraction<Cost> {
  struct Candidate {
    Cost cost;
    NodeId node;
    ClassId id;
  };
  const auto is_worse = [](const Candidate& a, const Candidate& b) {
    return b.cost < a.cost || (!(a.cost < b.cost) && b.node < a.node);
  };
  std::priority_queue<Candidate, std::vector<Candidate>, decltype(is_worse)> queue(is_worse);
  Extraction<Cost> result;
  result.choice.node_of.resize(graph.n_ids());
  result.cost_of.resize(graph.n_ids());
  std::vector<uint32_t> n_open(graph.n_ids());  // children of a node that are not settled
  std::vector<Cost> child_costs;
  const auto offer = [&](const ENode& node, ClassId id) {
    child_costs.clear();
    for (const ClassId child : graph.children(node)) {
      child_costs.push_back(*result.cost_of[child.index]);
    }
    queue.push({cost(node, std::span<const Cost>(child_costs)), node.id, id});
  };
  for (const ClassId id : graph.classes()) {
    for (const ENode& node : graph.nodes(id)) {
      n_open[node.id.index] = node.n_children;
      if (node.n_children == 0) {
        offer(node, id);
      }
    }
  }
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    if (result.cost_of[best.id.index]) {
      continue;
    }
    result.cost_of[best.id.index] = best.cost;
    result.choice.node_of[best.id.index] = best.node;
    for (const NodeId user : graph.users(best.id)) {
      const ClassId owner = graph.find(ClassId{user.index});
      if (graph.is_member(user) && --n_open[user.index] == 0 && !result.cost_of[owner.index]) {
        offer(graph.node(user), owner);
      }
    }
  }
  return result;
}

/// The chosen nodes under `roots`, each class once, children before parents.
auto chosen_nodes(const EGraph& graph, const Choice& choice, std::span<const ClassId> roots)
    -> std::vector<NodeId>;

}  // namespace tacet::egraph
