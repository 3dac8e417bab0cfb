#pragma once

#include <string>

#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// Stages `hir`, `ssa` and `quotients`: the coordinator functions of a file as control-flow graphs
/// of three-address instructions, as built or in reference SSA.
enum class HirForm : uint8_t {
  Built,
  Ssa,
  Quotients,  ///< in SSA, with the node of the value specification that each value is
};
auto print_hir(const program::FrontendSnapshot& snapshot, FileId file, HirForm form) -> std::string;

}  // namespace tacet::emit
