#pragma once

#include <optional>
#include <set>

#include "compiler/device/kernel/build.h"
#include "compiler/device/loops/counted_loop.h"

/// Private to this folder.
namespace tacet::loops {

/// Statements that compute what a loop does, with a tree for one group of variables that it
/// carries; nothing if there is none, or it is not worth it.
auto split_loop(kernel::Builder& make, const CountedLoop& loop,
                const std::set<kernel::VariableId>& secrets) -> std::optional<kernel::Block>;

}  // namespace tacet::loops
