#pragma once

#include <functional>

#include "compiler/front/hir/hir.h"

namespace tacet::hir {

/// Pass: copy-consumed
///
/// Copies values that a call of a function consumes although they are used again, by the same call
/// or on some path after it, and what is returned twice. The text need not say so.
///
/// Before:                              After:
///   %0: i64 = call f %a                  %a.1: i64 = copy %a
///   %1: i64 = binary add %0, %a          %0: i64 = call f %a.1
///                                        %1: i64 = binary add %0, %a
///
/// Requires: the form with places, blocks in order. References are lent and not consumed, and
/// encoders and futures cannot be copied: both are left alone.
/// O(instructions + calls * depth of `if`s).
void copy_consumed(Function& function, const types::TypeStore& types,
                   const std::function<bool(names::ItemId)>& consumes);

}  // namespace tacet::hir
