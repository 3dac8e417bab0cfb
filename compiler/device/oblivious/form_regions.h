#pragma once

#include "compiler/device/kernel/kernel.h"

namespace tacet::oblivious {

/// Pass: form-regions
///
/// Puts a region around each run of statements that computes on secrets. A run continues over
/// public statements between two secret ones, and ends at what no region may hold: branches,
/// `while`s, exits, calls, `reveal`s, `return`s. Loops join with all that is in them if their
/// bodies hold none of these; else their bodies have regions of their own.
///
/// Before:                               After:
///   x = s + 1;                            secret(in s, n; out x, y) {
///   y = x * n;                              x1 = s1 + 1; y1 = x1 * n1;
///   if n > 3 { z = y; }                   }
///                                         if n > 3 { secret(in y; out z) { z1 = y2; } }
///
/// Requires: an oblivious kernel. O(size · variables of a run).
void form_regions(kernel::Kernel& kernel);

}  // namespace tacet::oblivious
