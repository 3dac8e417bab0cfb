#include "linter/rules/leaving.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto always_leaves(Node statement) -> bool {
  if (statement.is(NodeKind::IfExpression)) {
    return always_leaves(statement.child(Field::Consequence)) &&
           always_leaves(statement.child(Field::Alternative));
  }
  if (statement.is(NodeKind::Block)) {
    for (const Node child : statement.children()) {
      if (always_leaves(child)) {
        return true;
      }
    }
    return false;
  }
  return statement.is(NodeKind::ReturnStatement) || statement.is(NodeKind::BreakStatement) ||
         statement.is(NodeKind::ContinueStatement);
}

}  // namespace tacet::linter
