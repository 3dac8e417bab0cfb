#pragma once

#include <span>
#include <vector>

#include "base/wipe.h"
#include "engine/he/context.h"

namespace tacet::he {

/// The numbers of [-Q/2, Q/2] whose residues modulo the first data primes are in `rows`, not
/// transformed, as doubles, times `factor`: exact but for their rounding to doubles. O(k^2 n).
auto as_doubles(const Context& context, const Rows& rows, double factor) -> SecureVector<double>;

/// log2 of the largest magnitude among those numbers; of zeros, -1.
auto magnitude_bits(const Context& context, const Rows& rows) -> double;

}  // namespace tacet::he
