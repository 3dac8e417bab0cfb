#include "compiler/front/hir/order.h"

#include <algorithm>
#include <utility>

namespace tacet::hir {

/// Blocks in reverse post-order. Without recursion: an `else if` chain may be long.
static auto reverse_post_order(const Function& function) -> std::vector<BlockId> {
  std::vector<BlockId> order;
  std::vector<bool> seen(function.blocks.size(), false);
  std::vector<std::pair<BlockId, size_t>> stack = {{BlockId{0}, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, n_done] = stack.back();
    std::span<const BlockId> next = successors(function.blocks[block].terminator);
    if (n_done == next.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    // The last successor first, so that the first one comes out in front.
    const BlockId target = next[next.size() - 1 - n_done++];
    if (!seen[target.index]) {
      seen[target.index] = true;
      stack.emplace_back(target, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void sort_blocks(Function& function) {
  const std::vector<BlockId> order = reverse_post_order(function);
  std::vector<BlockId> renumbered(function.blocks.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    renumbered[order[i].index] = {i};
  }
  Store<BlockId, Block> blocks;
  for (BlockId old : order) {
    Block block = std::move(function.blocks[old]);
    for (BlockId& target : block.terminator.targets) {
      target = target.has_value() ? renumbered[target.index] : target;
    }
    if (block.terminator.join.has_value()) {
      block.terminator.join = renumbered[block.terminator.join.index];
    }
    std::erase_if(block.predecessors,
                  [&](BlockId from) { return !renumbered[from.index].has_value(); });
    for (BlockId& from : block.predecessors) {
      from = renumbered[from.index];
    }
    blocks.add(std::move(block));
  }
  function.blocks = std::move(blocks);
  for (TagUse& use : function.tags) {
    if (use.subject == TagSubject::Branch) {
      use.index = renumbered[use.index].index;
    }
  }
}

}  // namespace tacet::hir
