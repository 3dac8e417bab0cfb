#pragma once

#include "compiler/device/kernel/kernel.h"

/// The normal form of what computes on secrets, from which every device is lowered.
namespace tacet::oblivious {

/// Closes all that computes on secrets into regions as few and as small as they can be: neighbours
/// are one region, numbers are inside, and public computations stay outside, done once and in
/// plaintext.
///
/// Encryption lifts such a kernel to an array program (`lift::lift`), secret sharing lowers it to
/// instructions (`mpc_lower::lower`); both see the same regions. Passes: `form_regions`,
/// `absorb_constants`, `merge_regions`, `canonicalise_regions`.
///
/// Requires: an oblivious kernel. O(rounds · regions · size).
auto with_secret_regions(kernel::Kernel kernel) -> kernel::Kernel;

}  // namespace tacet::oblivious
