#pragma once

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// Renumbers the blocks so that each comes after all its predecessors, the way on true before the
/// way on false, and what cannot be reached is gone. O(blocks and edges).
void sort_blocks(Function& function);

}  // namespace tacet::hir
