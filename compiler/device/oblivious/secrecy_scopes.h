#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/device/kernel/kernel.h"

namespace tacet::oblivious {

/// Where the variables of a kernel are declared. A variable belongs to the smallest block that has
/// all its occurrences, and is declared where it is first given a value, if that stands directly in
/// the block, else where the block begins.
struct VariableScopes {
  /// By statement: the variables that it declares.
  std::vector<std::vector<kernel::VariableId>> at_statement;
  /// By block: those that are declared where it begins.
  std::unordered_map<const kernel::Block*, std::vector<kernel::VariableId>> at_block;
};

/// O(occurrences of variables · depth of blocks).
auto find_scopes(const kernel::Kernel& kernel) -> VariableScopes;

}  // namespace tacet::oblivious
