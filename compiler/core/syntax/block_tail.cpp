#include "compiler/core/syntax/block_tail.h"

namespace tacet::syntax {

auto tail_of(Node block) -> Node {
  if (const Node result = block.child(Field::Result)) {
    return result;
  }
  Node last;
  for (const Node child : block.children()) {
    if (is_named(child.kind())) {
      last = child;
    }
  }
  return last.is(NodeKind::IfExpression) || last.is(NodeKind::Block) ? last : Node();
}

}  // namespace tacet::syntax
