#pragma once

#include <string>
#include <string_view>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// What is wrong with a function's graph, or nothing: edges that do not agree, blocks out of
/// order, values used where they are not defined, phis without an operand for each predecessor,
/// places that are left in SSA.
auto verify(const Function& function) -> std::string;

/// Ends with an internal error that names `pass` if what it gives is wrong. Does nothing unless
/// `verifies_passes()`.
void expect_verified(const Function& function, std::string_view pass);

}  // namespace tacet::hir
