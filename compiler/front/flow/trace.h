#pragma once

#include <vector>

#include "compiler/front/flow/place_states.h"

namespace tacet::flow {

/// What a trace looks for.
enum class Wanted : uint8_t { Empty, Full };

/// One side of a branch: where its condition is true, or where it is false.
struct BranchSide {
  uint32_t node = hir::kNoNode;  ///< the `if`
  bool is_true = false;

  friend auto operator==(const BranchSide&, const BranchSide&) -> bool = default;
};

/// Why a place may be empty (or full) somewhere.
struct Reasons {
  /// The sides that cause it, where the other side does not.
  std::vector<BranchSide> sides;
  /// What emptied the place: whatever took the handle, or stored nothing.
  std::vector<hir::InstructionId> causes;
  /// Calls that were given the place to fill and may not have done so.
  std::vector<hir::InstructionId> unfilled;
};

/// Follows control backwards from instruction `position` of `block` to what left `place` as it is.
/// O(function); for messages alone.
auto trace(const PlaceProblem& problem, const hir::BlockFacts<PlaceFact>& facts, hir::BlockId block,
           size_t position, hir::PlaceId place, Wanted wanted) -> Reasons;

}  // namespace tacet::flow
