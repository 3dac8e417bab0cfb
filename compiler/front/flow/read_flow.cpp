#include "compiler/front/flow/read_flow.h"

#include <string_view>

#include "compiler/core/syntax/walk.h"

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
  const Node tag = last_tag_of(tags, dimension_text(dimension));
  const std::optional<Flow> flow = tag ? find_flow(tag.child(Field::Flow).text()) : std::nullopt;
  return flow ? std::optional(StatedFlow{*flow, tag}) : std::nullopt;
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
