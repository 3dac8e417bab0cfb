#pragma once

#include <vector>

#include "compiler/spec/infer/annotations.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// Gives names to those nodes and outputs of a value or timeline specification that tags have to
/// speak of and that have none. `names` are completed; the edits that write the new names into the
/// specification count from the beginning of its tree.
auto name_nodes(const program::FrontendSnapshot& snapshot, const infer::SpecGraph& spec,
                const std::vector<infer::SpecNodeId>& needed, const std::vector<uint32_t>& outputs,
                infer::NodeNames& names) -> std::vector<TextEdit>;

}  // namespace tacet::emit
