#pragma once

#include "compiler/device/oblivious/rewrite.h"

namespace tacet::oblivious {

/// Pass: exits-to-flags
///
/// Replaces `break`, `continue` and `return` that a secret decides about. What would have been
/// skipped moves to the other arm of the `if`, where one arm always leaves; else a flag records the
/// exit, and all that follows is guarded by it. A loop that was left keeps iterating without
/// effect, a `while` ends by its flag. Returned values wait in variables.
///
/// Before:                            After:
///   for i in 0..8 {                    var stop = false;
///     if t[i] == x { break; }          for i in 0..8 {
///     n = n + 1;                         if !stop {
///   }                                      if t[i] == x { stop = true; } else { n = n + 1; }
///                                        }
///                                      }
///
/// Exits about which only public values decide, between their loop and themselves, stay. Flags
/// make more secret, so this repeats until no exit is secret; afterwards every secret `if` has arms
/// that end where they end.
///
/// Cost: a flag for each loop that is left, one for each body with a `continue` behind which
/// something follows in an outer block, one for all `return`s. O(rounds · analysis).
auto exits_to_flags(Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
