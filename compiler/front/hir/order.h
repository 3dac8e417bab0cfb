#pragma once

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// Renumbers the blocks so that each comes after all its predecessors, the true side before the
/// false side, and drops unreachable blocks. O(blocks and edges).
void sort_blocks(Function& function);

}  // namespace tacet::hir
