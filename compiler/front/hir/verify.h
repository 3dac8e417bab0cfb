#pragma once

#include <string>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// What is wrong with a function's graph, or nothing: edges that do not agree, blocks out of
/// order, values used where they are not defined, phis without an operand for each predecessor,
/// places that are left in SSA. For tests of whatever makes or changes functions.
auto verify(const Function& function) -> std::string;

}  // namespace tacet::hir
