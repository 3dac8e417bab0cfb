#include "compiler/front/flow/read_flow.h"

#include <string_view>

namespace tacet::flow {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto find_flow(std::string_view text) -> std::optional<Flow> {
  for (Flow flow : {Flow::Usable, Flow::Saved, Flow::Dead, Flow::Need}) {
    if (text.size() > 1 && text.substr(1) == flow_text(flow)) {
      return flow;
    }
  }
  return std::nullopt;
}

auto read_flow(Node tags, Dimension dimension) -> std::optional<StatedFlow> {
  std::optional<StatedFlow> result;
  if (!tags) {
    return result;
  }
  for (Node tag : tags.children()) {
    Node node = tag.is(NodeKind::Tag) ? tag.child(Field::Node) : Node();
    if (!node || node.child(Field::Dimension).text() != dimension_text(dimension)) {
      continue;
    }
    const std::optional<Flow> flow = find_flow(tag.child(Field::Flow).text());
    result = flow ? std::optional(StatedFlow{*flow, tag}) : std::nullopt;
  }
  return result;
}

auto with_stated(Flows flows, Node tags) -> Flows {
  for (Dimension dimension : kDimensions) {
    if (const std::optional<StatedFlow> stated = read_flow(tags, dimension)) {
      flows.of(dimension) = stated->flow;
    }
  }
  return flows;
}

}  // namespace tacet::flow
