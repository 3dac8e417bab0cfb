#include "compiler/core/query/event.h"

#include "compiler/core/query/node.h"

namespace tacet::query {

auto node_text(const QueryType& type, const Node& node) -> std::string {
  std::string text(type.name);
  text += '(';
  type.append_key(node, text);
  text += ')';
  return text;
}

auto Event::query_name() const -> std::string_view {
  return type.name;
}

auto Event::text() const -> std::string {
  return node_text(type, node);
}

}  // namespace tacet::query
