#include "compiler/front/check/known_length.h"

#include "compiler/core/syntax/bare.h"

namespace tacet::check {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto only_argument(Node call) -> Node {
  Node found;
  for (Node child : call.child(Field::Arguments).children()) {
    if (!child.is_leaf() || child.is(NodeKind::Identifier)) {
      found = child;
    }
  }
  return found;
}

auto known_length(const types::TypeStore& types, const Body& body, Node call)
    -> std::optional<int64_t> {
  const Node function =
      call.is(NodeKind::CallExpression) ? syntax::bare(call.child(Field::Function)) : Node();
  const names::Resolution meaning =
      function ? body.names.of(function.index()) : names::Resolution();
  const Node argument = only_argument(call);
  if (!argument || !meaning.is(names::Meaning::Builtin) ||
      static_cast<names::Builtin>(meaning.index()) != names::Builtin::Len) {
    return std::nullopt;
  }
  const std::vector<int64_t>& extents = types.extents(types[body.type(argument)].shape);
  return extents.empty() || extents.front() < 0 ? std::nullopt : std::optional(extents.front());
}

}  // namespace tacet::check
