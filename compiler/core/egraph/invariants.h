#pragma once

#include <string>
#include <vector>

#include "compiler/core/egraph/egraph.h"

namespace tacet::egraph {

/// What is broken in a clean graph, in words; nothing if all is well. Linear in the graph; for
/// tests and for debugging an analysis. Checked are: members are canonical and found under their
/// own form, no two are congruent, each is a member of one class and a user of its children, the
/// index by operator names each class that it should exactly once.
auto broken_invariants(const EGraph& graph) -> std::vector<std::string>;

}  // namespace tacet::egraph
