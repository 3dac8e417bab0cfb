#pragma once

#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// What a block yields: its result, or the `if` or block at its end; null if neither is there. The
/// types decide whether such an `if` or block yields anything.
auto tail_of(Node block) -> Node;

}  // namespace tacet::syntax
