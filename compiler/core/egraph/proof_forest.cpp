#include "compiler/core/egraph/proof_forest.h"

#include <algorithm>

namespace tacet::egraph {

/// Reverses the edges on the path from `term` to its root.
void ProofForest::make_root(NodeId term) {
  Up up{};
  while (term.has_value()) {
    const Up old = edges_[term.index];
    edges_[term.index] = up;
    up = {.parent = term, .reason = old.reason, .reversed = !old.reversed};
    term = old.parent;
  }
}

void ProofForest::link(NodeId from, NodeId to, Reason reason, bool reversed) {
  make_root(from);
  edges_[from.index] = {.parent = to, .reason = reason, .reversed = reversed};
}

auto ProofForest::path(NodeId from, NodeId to) const -> std::vector<Edge> {
  const auto depth = [&](NodeId term) {
    size_t result = 0;
    for (; edges_[term.index].parent.has_value(); term = edges_[term.index].parent) {
      ++result;
    }
    return result;
  };
  std::vector<Edge> up;
  std::vector<Edge> down;
  const auto climb = [&](NodeId& term, std::vector<Edge>& edges) {
    const Up& edge = edges_[term.index];
    edges.push_back({term, edge.parent, edge.reason, edge.reversed});
    term = edge.parent;
  };
  size_t from_depth = depth(from);
  size_t to_depth = depth(to);
  for (; from_depth > to_depth; --from_depth) {
    climb(from, up);
  }
  for (; to_depth > from_depth; --to_depth) {
    climb(to, down);
  }
  while (from != to) {
    if (from_depth == 0) {
      return {};
    }
    climb(from, up);
    climb(to, down);
    --from_depth;
  }
  std::reverse(down.begin(), down.end());
  for (const Edge& edge : down) {
    up.push_back({edge.to, edge.from, edge.reason, !edge.reversed});
  }
  return up;
}

}  // namespace tacet::egraph
