#pragma once

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// The function in reference SSA: every store is a definition, loads are what was stored, and a phi
/// stands where paths with different contents of a live place join.
///
///     var v;  if c { v = a; } else { v = b; }  v        is
///
///     b0: branch c b1 b2    b1: jump b3    b2: jump b3    b3: v.0 = phi a b;  return v.0
///
/// A borrowed place stays: the borrow says what the place holds, and the `Written` behind the call
/// is a new definition. Cytron et al., "Efficiently Computing Static Single Assignment Form"
/// (TOPLAS 1991), with phis for live places only. O(instructions + phis).
auto to_ssa(const Function& function) -> Function;

}  // namespace tacet::hir
