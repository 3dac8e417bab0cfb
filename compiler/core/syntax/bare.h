#pragma once

#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// An expression without the parentheses and tags around it.
inline auto bare(Node node) -> Node {
  while (node.is(NodeKind::ParenthesizedExpression) || node.is(NodeKind::TaggedExpression)) {
    node = node.child(Field::Value);
  }
  return node;
}

}  // namespace tacet::syntax
