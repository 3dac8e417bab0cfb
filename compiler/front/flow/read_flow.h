#pragma once

#include <optional>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/flow/flow.h"

namespace tacet::flow {

/// A flow that the text states, and the node where it does.
struct StatedFlow {
  Flow flow = Flow::Usable;
  syntax::Node tag;
};

/// What `tags` (a `tags` or an `annotation`) say of the flow in `dimension`: the last tag that
/// does. Nothing where the flow is left open (`-?`, or no flow).
auto read_flow(syntax::Node tags, Dimension dimension) -> std::optional<StatedFlow>;

/// `flows` with what `tags` say otherwise.
auto with_stated(Flows flows, syntax::Node tags) -> Flows;

}  // namespace tacet::flow
