#pragma once

#include "compiler/device/kernel/kernel.h"

namespace tacet::oblivious {

/// Pass: merge-regions
///
/// Makes one region of two that are next to each other, or have nothing between them but public
/// assignments that the first does not care about, which move in front.
///
/// Before:                               After:
///   secret(in s; out x) { … }             secret(in s, n; out x, y) { …; … }
///   secret(in x, n; out y) { … }
///
/// What the second region gets from the first stays inside of it. Regions with a separator at the
/// border stay apart. O(regions · size).
void merge_regions(kernel::Kernel& kernel);

/// Pass: split-at-separators
///
/// Cuts regions in two at each `Separator` that stands directly in them; what crosses the cut
/// becomes ports of both. Separators are removed, except for those inside of a region's loops.
///
/// Before:                               After:
///   secret(in s; out x) {                 secret(in s; out y) { y1 = s1 + 1; }
///     y = s1 + 1;                         secret(in y; out x) { x1 = y2 * y2; }
///     separator;
///     x1 = y * y;
///   }
void split_at_separators(kernel::Kernel& kernel);

/// How far regions are taken apart.
struct Distribution {
  /// Loops around operations leave their region, so that the region is in the loop. Without it a
  /// loop stays whole in a region of its own.
  bool enters_loops = true;
  /// Statements are cut into single operations, each with variables or literals as operands.
  bool cuts_expressions = true;
};

/// Pass: distribute-regions
///
/// Takes regions apart so that each holds one statement, and with `cuts_expressions` one operation:
/// what lowering to instructions of a scheme or protocol takes one by one.
///
/// Before:                               After:
///   secret(in s, n; out x) {              for i in 0..8 {
///     for i in 0..8 {                       secret(in s, n; out y) { y1 = s1 * n1; }
///       x1 = x1 + s1 * n1;                  secret(in x, y; out x) { x1 = x1 + y2; }
///     }                                   }
///   }
///
/// The bounds of loops in regions are public, so that all loops can run. Array expressions with an
/// index (`for i: n { … }`) and reductions are one operation each, and what may fail stays in the
/// choice that says whether it is evaluated.
void distribute_regions(kernel::Kernel& kernel, const Distribution& how = {});

}  // namespace tacet::oblivious
