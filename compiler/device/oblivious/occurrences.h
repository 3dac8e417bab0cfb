#pragma once

#include <set>
#include <unordered_map>

#include "compiler/device/kernel/walk.h"

/// Which variables occur where, beyond what `kernel/walk.h` says.
namespace tacet::oblivious {

using VariableSet = std::set<kernel::VariableId>;

auto reads(const kernel::Kernel& kernel, kernel::ExprId expr, kernel::VariableId variable) -> bool;

/// How often each variable is read or given a value by the statements of a block and those inside.
using OccurrenceCounts = std::unordered_map<kernel::VariableId, uint32_t>;
auto count_occurrences(const kernel::Kernel& kernel, const kernel::Block& block)
    -> OccurrenceCounts;

/// Does `block` give all of `variable` a value on every path to its end, before it reads it?
auto assigns_first(const kernel::Kernel& kernel, const kernel::Block& block,
                   kernel::VariableId variable) -> bool;

/// Is there a path through `block` that reads `variable`, or writes a part of it, before it has
/// assigned all of it?
auto may_read_first(const kernel::Kernel& kernel, const kernel::Block& block,
                    kernel::VariableId variable) -> bool;

/// Is the end of `block` never reached, because all paths leave it before?
auto leaves(const kernel::Kernel& kernel, const kernel::Block& block) -> bool;

}  // namespace tacet::oblivious
