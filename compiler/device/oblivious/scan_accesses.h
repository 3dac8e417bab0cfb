#pragma once

#include "compiler/device/oblivious/rewrite.h"

namespace tacet::oblivious {

/// Pass: scan-accesses
///
/// Replaces accesses at secret indices by scans over all elements that they might mean. Beyond the
/// array's end no element is met: reading gives 0, writing changes nothing.
///
/// Before:                               After:
///   y = t[k] + 1;                         var picked = 0;
///                                         for j in 0..16 {
///                                           picked = picked + (t[j] if j == k else 0);
///                                         }
///                                         y = picked + 1;
///
///   t[k] = v;                             for j in 0..16 {
///                                           t[j] = v if j == k else t[j];
///                                         }
///
///   h[k] = h[k] + v;                      for j in 0..16 {
///                                           h[j] = h[j] + (v if j == k else 0);
///                                         }
///
/// What is read is a sum of which all terms but one are 0, so that its products stand side by side
/// and do not deepen the circuit. Only dimensions with a secret index are scanned; the comparisons
/// of inner dimensions are made once, in front. A secret distance of `rotate` chooses among all
/// rotations. Scans of one array join an earlier one of the same block if nothing between them
/// forbids it, and what is read twice is picked once.
///
/// Inside of `for i: n { … }` there are no statements: there the sum is an expression.
///
/// Leaves the conditions of `while` alone: they are secret then, and `bound_while_loops` makes an
/// `if` of them. Cost: a comparison and a selection for each element of the scanned dimensions.
auto scan_accesses(Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
