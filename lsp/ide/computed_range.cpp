#include "lsp/ide/computed_range.h"

#include <algorithm>

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// `m[i][j]` is one access of several nodes.
static auto access_range(const std::vector<Node>& path, size_t at) -> TextRange {
  while (at > 0 && path[at].field() == Field::Array) {
    --at;
  }
  return path[at].range();
}

auto computed_range(const program::Entity& entity) -> TextRange {
  const Node node(entity.tree.get(), entity.node);
  const std::vector<Node> path = syntax::path_to(entity.tree->root(), node.range().begin);
  const auto found = std::find(path.begin(), path.end(), node);
  if (found == path.end() || found == path.begin()) {
    return {};
  }
  const auto at = static_cast<size_t>(found - path.begin());
  if (node.field() == Field::Operator || node.field() == Field::Function ||
      node.is(NodeKind::KwIf)) {
    return path[at - 1].range();
  }
  return node.field() == Field::Array ? access_range(path, at) : TextRange{};
}

}  // namespace tacet::ide
