#pragma once

#include "compiler/device/kernel/kernel.h"

namespace tacet::oblivious {

/// Pass: canonicalise-regions
///
/// Brings regions into a form in which only what must be secret is inside, until nothing changes:
///
///  * inputs that the region does not use, unused outputs, and outputs that
///    only pass an input on, are dropped;
///  * of inputs with the same variable outside, and outputs with the same one inside, one stays;
///  * assignments of public values, but for single numbers, move in front, and outputs that hold
///    them with them;
///  * a region without secrets is dissolved.
///
/// Before:                               After:
///   secret(in s, n; out x, k) {           k = n + 1;
///     k1 = n1 + 1;                        secret(in s, k; out x) { x1 = s1 * k1; }
///     x1 = s1 * k1;
///   }
///
/// Public assignments inside of a region's loops stay there: they may need the loop's counter.
/// O(rounds · regions · size).
void canonicalise_regions(kernel::Kernel& kernel);

/// Pass: absorb-constants
///
/// Moves what a region gets from outside, but is a number whenever the region runs, into it: a
/// variable that is only ever assigned one literal.
///
/// Before:                               After:
///   n = 3;                                n = 3;
///   secret(in s, n; out x) {              secret(in s; out x) {
///     x1 = s1 * n1;                         n1 = 3; x1 = s1 * n1;
///   }                                     }
void absorb_constants(kernel::Kernel& kernel);

}  // namespace tacet::oblivious
