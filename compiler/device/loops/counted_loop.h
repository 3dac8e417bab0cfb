#pragma once

#include <optional>
#include <set>

#include "compiler/device/kernel/kernel.h"

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

}  // namespace tacet::loops
