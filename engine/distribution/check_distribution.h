#pragma once

#include "base/result.h"
#include "engine/distribution/distribution.h"

namespace tacet::engine::distribution {

/// Whether a distribution computes what the graph says: each value that an output needs is made by
/// exactly one rank, inputs by the root, and behind those of its
/// operands that the rank makes; every operand is made by the rank that uses it or sent to it by
/// its maker, once; nothing is sent that is not used; the root gets all outputs; each rank's list
/// has exactly the keys that it needs; and every rank comes to its end, by whatever order messages
/// arrive. Shares no code with what makes distributions.
auto check_distribution(const WorkGraph& graph, const Distribution& distribution) -> Status;

}  // namespace tacet::engine::distribution
