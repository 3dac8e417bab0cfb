#pragma once

#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// Whether a node is `?`, `???` or `???;`.
inline auto is_hole(Node node) -> bool {
  return node.is(NodeKind::Hole) || node.is(NodeKind::StatementHole) ||
         node.is(NodeKind::HoleStatement);
}

/// Whether a hole of the tree has exactly this range.
inline auto has_hole_at(const Tree& tree, TextRange range) -> bool {
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const Node node(&tree, i);
    if (is_hole(node) && node.range() == range) {
      return true;
    }
  }
  return false;
}

}  // namespace tacet::syntax
