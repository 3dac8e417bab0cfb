#include "compiler/front/hir/dominance.h"

#include <algorithm>

namespace tacet::hir {

auto Dominance::dominates(BlockId dominator, BlockId block) const -> bool {
  // A block's number is larger than its dominator's.
  while (block > dominator) {
    block = immediate[block.index];
  }
  return block == dominator;
}

static auto meeting_point(const std::vector<BlockId>& immediate, BlockId a, BlockId b) -> BlockId {
  while (a != b) {
    if (a > b) {
      a = immediate[a.index];
    } else {
      b = immediate[b.index];
    }
  }
  return a;
}

auto dominance(const Function& function) -> Dominance {
  Dominance result;
  const auto n = static_cast<uint32_t>(function.blocks.size());
  result.immediate.resize(n);
  result.frontier.resize(n);
  for (uint32_t i = 0; i < n; ++i) {
    BlockId dominator = {};
    for (BlockId from : function.blocks[BlockId{i}].predecessors) {
      dominator = dominator.has_value() ? meeting_point(result.immediate, dominator, from) : from;
    }
    result.immediate[i] = dominator.has_value() ? dominator : BlockId{i};
  }
  for (uint32_t i = 0; i < n; ++i) {
    const std::vector<BlockId>& predecessors = function.blocks[BlockId{i}].predecessors;
    if (predecessors.size() < 2) {
      continue;
    }
    for (BlockId from : predecessors) {
      for (BlockId at = from; at != result.immediate[i]; at = result.immediate[at.index]) {
        std::vector<BlockId>& frontier = result.frontier[at.index];
        if (frontier.empty() || frontier.back() != BlockId{i}) {
          frontier.push_back({i});
        }
      }
    }
  }
  return result;
}

}  // namespace tacet::hir
