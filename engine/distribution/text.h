#pragma once

#include <string>

#include "engine/distribution/distribution.h"

namespace tacet::engine::distribution {

/// What a distribution costs by the model, a line for each rank with its work and keys, and, with
/// `is_detailed`, a line for each value that it makes: the operands, and the ranks that get it.
auto to_text(const WorkGraph& graph, const Distribution& distribution, const Machines& machines,
             bool is_detailed) -> std::string;

}  // namespace tacet::engine::distribution
