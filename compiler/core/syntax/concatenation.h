#pragma once

#include <vector>

#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// Is it `a ++ b`?
inline auto is_concatenation(Node node) -> bool {
  return node.is(NodeKind::BinaryExpression) &&
         node.child(Field::Operator).is(NodeKind::PlusPlus);
}

/// The arrays of `a ++ b ++ c`, in their order, however they are parenthesised.
inline auto concatenated(Node concatenation) -> std::vector<Node> {
  std::vector<Node> result;
  std::vector<Node> rest = {concatenation};
  while (!rest.empty()) {
    const Node node = rest.back();
    rest.pop_back();
    Node inner = node;
    while (inner.is(NodeKind::ParenthesizedExpression)) {
      inner = inner.child(Field::Value);
    }
    if (is_concatenation(inner)) {
      rest.push_back(inner.child(Field::Right));
      rest.push_back(inner.child(Field::Left));
    } else {
      result.push_back(node);
    }
  }
  return result;
}

}  // namespace tacet::syntax
