#include "linter/rules/leaving.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto always_leaves(Node statement) -> bool {
  switch (statement.kind()) {
    case NodeKind::ReturnStatement:
    case NodeKind::BreakStatement:
    case NodeKind::ContinueStatement:
      return true;
    case NodeKind::IfExpression:
      return always_leaves(statement.child(Field::Consequence)) &&
             always_leaves(statement.child(Field::Alternative));
    case NodeKind::Block:
      for (const Node child : statement.children()) {
        if (always_leaves(child)) {
          return true;
        }
      }
      return false;
    default:
      return false;
  }
}

}  // namespace tacet::linter
