#pragma once

#include "base/bit_set.h"
#include "compiler/hir/dataflow.h"

namespace tacet::hir {

/// The places whose contents some way on reads before it stores to them. Sets of `PlaceId`.
auto live_places(const Function& function) -> BlockFacts<BitSet>;

/// The values that some way on uses. Operands of phis are used at the end of the predecessor.
/// Sets of `ValueId`.
auto live_values(const Function& function) -> BlockFacts<BitSet>;

}  // namespace tacet::hir
