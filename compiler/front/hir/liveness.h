#pragma once

#include <vector>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// Where the contents of places are still read. Asked place by place, since hardly any place is
/// live in more than a few blocks: all answers together take the space of one.
class PlaceLiveness {
 public:
  explicit PlaceLiveness(const Function& function);

  /// The blocks that store to a place, ascending.
  [[nodiscard]] auto stores(PlaceId place) const -> const std::vector<BlockId>& {
    return stores_[place.index];
  }

  /// From here on `is_live` is about `place`: true of the blocks from whose start some path reads
  /// the place before it stores to it. O(these blocks).
  void look_at(PlaceId place);
  [[nodiscard]] auto is_live(BlockId block) const -> bool {
    return looked_at_[block.index] == current_;
  }

 private:
  const Function& function_;
  /// By place.
  std::vector<std::vector<BlockId>> stores_;
  std::vector<std::vector<BlockId>> exposed_;  ///< blocks that read it before they store to it
  /// By block: the last place that is live there, or stored to there, of those computed so far.
  std::vector<PlaceId> looked_at_;
  std::vector<PlaceId> stored_;
  PlaceId current_;
};

}  // namespace tacet::hir
