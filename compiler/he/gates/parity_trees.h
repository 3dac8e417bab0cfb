#pragma once

#include "compiler/he/gates/graph.h"

namespace tacet::gates {

/// The same functions, where a parity of many bits some of which are conjunctions, that nothing
/// else needs, becomes a tree of short chains of `XorAnd`s: each conjunction then costs its own
/// gate and none to add it. The bits that are known first are added first. A cut of four bits is
/// too small to see this. O(gates), but for sorting; may be larger, since trees do not share what
/// they add.
auto with_chained_parities(const Graph& graph) -> Graph;

}  // namespace tacet::gates
