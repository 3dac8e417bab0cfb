#pragma once

#include <map>
#include <set>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// What the statements right in a loop's body read and write. Private to this folder.
namespace tacet::loops {

struct LoopBody {
  LoopBody(const kernel::Kernel& kernel, const kernel::Block& body);

  using Variables = std::set<kernel::VariableId>;

  kernel::Block statements;
  /// By statement, with all that is inside of it.
  std::vector<Variables> reads, writes;
  Variables written;
  /// Those that may be read before the iteration has assigned them.
  Variables exposed;
  /// Variables that depend on each other from iteration to iteration; each on itself, too. By the
  /// place of their first assignment. O(variables^3), nothing if there are very many.
  [[nodiscard]] auto cycles(const kernel::Kernel& kernel) const
      -> std::vector<std::vector<kernel::VariableId>>;
};

/// What statements read, and the arrays of which they keep elements.
auto variables_used(const kernel::Kernel& kernel, const kernel::Block& block)
    -> std::set<kernel::VariableId>;

}  // namespace tacet::loops
