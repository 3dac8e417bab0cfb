#pragma once

#include <optional>
#include <set>

#include "compiler/device/kernel/build.h"
#include "compiler/device/loops/iteration_tree.h"
#include "compiler/device/loops/loop_body.h"

/// Private to this folder.
namespace tacet::loops {

/// A loop of a known number of iterations, whose counter goes by 1.
struct CountedLoop {
  kernel::For node;
  FileRange place{};
  int64_t first = 0;
  int64_t n = 0;
  /// How often it may run at most with what it left the last time; none if that is unknown.
  std::optional<int64_t> n_runs = 1;
  std::set<kernel::VariableId> used_outside{};
};

auto counted_loop(const kernel::Kernel& kernel, const kernel::Statement& statement)
    -> std::optional<CountedLoop>;

/// What may hold secrets, wherever it is read. O(size · depth of dependences).
auto secret_variables(const kernel::Kernel& kernel) -> std::set<kernel::VariableId>;

/// Statements that compute what a loop does, with a tree for one group of variables that it
/// carries; nothing if there is none, or it is not worth it.
auto split_loop(kernel::Builder& make, const CountedLoop& loop,
                const std::set<kernel::VariableId>& secrets) -> std::optional<kernel::Block>;

}  // namespace tacet::loops
