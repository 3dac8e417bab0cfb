#pragma once

#include <random>
#include <vector>

#include "compiler/core/egraph/egraph.h"

/// For tests with random e-graphs.
namespace tacet::egraph {

/// Adds a node with up to two children among `ids`, and one of two operators for each number of
/// children, to the graph and to `ids`.
inline void add_random_node(EGraph& graph, std::vector<ClassId>& ids, std::mt19937& random) {
  const uint32_t n_children = ids.size() < 3 ? 0 : static_cast<uint32_t>(random() % 3);
  std::vector<ClassId> children;
  for (uint32_t c = 0; c < n_children; ++c) {
    children.push_back(ids[random() % ids.size()]);
  }
  ids.push_back(graph.add(OpId{static_cast<uint32_t>(n_children * 2 + random() % 2)}, children));
}

}  // namespace tacet::egraph
