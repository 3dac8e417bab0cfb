#pragma once

#include "compiler/device/oblivious/rewrite.h"

namespace tacet::oblivious {

/// Pass: bound-while-loops
///
/// Gives `while` and `do … while` loops whose condition is secret the number of iterations that
/// `max` says. An iteration does nothing once the condition was false: all that it reads then stays
/// as it is, so it is false in every later iteration too, and variables keep what they held where
/// the source would have stopped. A loop that would continue beyond `max` stops there.
///
/// Before:                               After:
///   while x != 1 max 9 {                  for iteration in 0..9 {
///     x = …;                                if x != 1 { x = …; }
///   }                                     }
///
///   do { x = …; } while x != 1 max 9;     var again = true;
///                                         for iteration in 0..9 {
///                                           if again { x = …; again = x != 1; }
///                                         }
///
/// Requires: no exits about which a secret decides. Reports T5030 without `max`, T5031 where `max`
/// is secret.
auto bound_while_loops(Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
