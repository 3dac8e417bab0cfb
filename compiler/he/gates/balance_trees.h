#pragma once

#include "compiler/he/gates/graph.h"

namespace tacet::gates {

/// The same functions with trees of parities, and of conjunctions, in which the bits that are known
/// first come first. A parity of many bits some of which are conjunctions, that nothing else needs,
/// becomes a tree of short chains of `XorAnd`s: each conjunction then costs its own gate and none
/// to add it. A cut of four bits is too small to see either. O(gates), but for sorting; may be
/// larger, since trees do not share what they combine.
auto with_balanced_trees(const Graph& graph) -> Graph;

}  // namespace tacet::gates
