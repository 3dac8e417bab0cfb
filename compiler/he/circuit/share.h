#pragma once

#include <optional>

#include "compiler/core/egraph/extract_dag.h"

namespace tacet::circuit {

/// Greedy extraction that sees sharing: for each class, the node whose operands' choices, taken
/// together with each class counted once, cost the least. A class that gets cheaper lets its users
/// choose again, until nothing changes or `max_steps` nodes were visited.
///
/// Sums and products by halves, whose halves are rotations of one term, cost twice as much with
/// each level if they are counted as trees, and the exact search starts from there; this one finds
/// them. It is no optimum: a choice is never made more expensive by itself to be shared more.
///
/// Nothing if a root has no finite choice, or choices run in a circle, which late changes can
/// cause.
auto extract_shared(const egraph::EGraph& graph, std::span<const egraph::ClassId> roots,
                    const egraph::NodeCost& cost, size_t max_steps)
    -> std::optional<egraph::Choice>;

}  // namespace tacet::circuit
