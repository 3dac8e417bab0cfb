#pragma once

#include "compiler/core/syntax/tree.h"

/// Statements behind which nothing runs.
namespace tacet::linter {

/// Does it end in a `return`, `break` or `continue` on every path?
auto always_leaves(syntax::Node statement) -> bool;

}  // namespace tacet::linter
