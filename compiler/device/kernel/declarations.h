#pragma once

#include <map>
#include <set>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// Private to this folder.
namespace tacet::kernel {

/// Where the text of a kernel declares its variables. Parameters, counters and indices declare
/// themselves.
struct Declarations {
  /// By the statement that is the first assignment and the declaration in one.
  std::map<StatementId, std::set<VariableId>> with;
  /// By the statement in front of which they are declared with 0.
  std::map<StatementId, std::vector<VariableId>> before;
};

/// A variable is declared in the innermost block that has all its uses, with its first use if that
/// assigns to it; else outside of all loops around, for what it holds lasts from iteration to
/// iteration.
auto find_declarations(const Kernel& kernel) -> Declarations;

}  // namespace tacet::kernel
