#pragma once

#include "compiler/core/query/database.h"
#include "compiler/front/check/body.h"
#include "compiler/front/flow/place_states.h"
#include "compiler/front/names/report.h"

namespace tacet::flow {

/// Does the text state flows at all, or say with `@in` and `@out` what holds somewhere? Most
/// functions do not. O(nodes).
auto states_flows(const syntax::Tree& tree) -> bool;

/// Reports flows in tags that are not those of what they stand at, nodes that are given to what is
/// empty, and annotations that contradict each other. False if there are any.
auto check_stated(query::Context& context, const PlaceProblem& problem,
                  const hir::BlockFacts<PlaceFact>& facts, const check::Body& body,
                  names::Report& report) -> bool;

}  // namespace tacet::flow
