#pragma once

#include "compiler/device/oblivious/rewrite.h"

namespace tacet::oblivious {

/// Pass: bound-for-loops
///
/// Gives `for` loops whose bounds or step are secret a public number of iterations, in which the
/// body is done only if the source would have done it. How many iterations, `max` says, or else the
/// ranges of the bounds. The counter stays public where it can, so that what it indexes needs no
/// scan:
///
/// Before:                               After:
///   for i in 0..n max 8 {                 for i in 0..8 {
///     s = s + t[i];                         if i < n { s = s + t[i]; }
///   }                                     }
///
///   for i in k..9 step 2 { … }            let phase = k % 2;
///     where k is in 0..4                  for i in 0..9 {
///                                           if i % 2 == phase && i >= k && i < 9 { … }
///                                         }
///
///   for i in k..9 step d { … }            var next = k;
///     where k is in 0..4, d in 2..4       for i in 0..9 {
///                                           if i == next && i < 9 { next = next + d; … }
///                                         }
///
///   for i in k..9 step 2 { … }            for iteration in 0..5 {
///     where no access needs `i`             let i = k + iteration * 2;
///                                           if i < 9 { … }
///                                         }
///
///   for i in k..n max 5 { … }             var i = k;
///     where nothing is known of k         for iteration in 0..5 {
///                                           if i < n { …; i = i + 1; }
///                                         }
///
/// The second and third forms take all numbers from the least lower bound to the greatest upper
/// one; they are taken instead of the others if these iterations cost less than the scans that a
/// secret counter makes of its accesses. Where the step is known no iteration waits for another,
/// which under encryption would take levels for each. Ends where the counter would leave its type,
/// as the source does. A secret step less than 1 ends the loop after its first iteration.
///
/// Requires: no exits about which a secret decides (`exits_to_flags`). Reports T5030 where neither
/// `max` nor the ranges give a number of iterations up to `kMostIterations`, T5031 where `max` is
/// secret.
auto bound_for_loops(Rewriting& rewriting) -> bool;

/// The most iterations that are taken from ranges alone, without a `max` that somebody wrote.
inline constexpr int64_t kMostIterations = 65536;

}  // namespace tacet::oblivious
