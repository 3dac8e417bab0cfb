#pragma once

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// An operator applied to classes. The children lie in the graph: `EGraph::children`.
struct ENode {
  OpId op;
  NodeId id;
  uint32_t first_child = 0;
  uint32_t n_children = 0;
};

}  // namespace tacet::egraph
