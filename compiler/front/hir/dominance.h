#pragma once

#include <vector>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// Which block is on every path to another.
struct Dominance {
  /// By block; the entry is its own.
  std::vector<BlockId> immediate;
  /// By block: where its dominance ends. Ascending.
  std::vector<std::vector<BlockId>> frontier;

  /// True if every path to `block` passes `dominator`. O(depth of the tree).
  [[nodiscard]] auto dominates(BlockId dominator, BlockId block) const -> bool;
};

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), figures 3 and 5.
/// Blocks are in reverse post-order already, and without cycles one pass is enough.
auto dominance(const Function& function) -> Dominance;

}  // namespace tacet::hir
