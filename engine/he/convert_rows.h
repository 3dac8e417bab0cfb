#pragma once

#include <cstdint>
#include <span>

#include "engine/he/context.h"

namespace tacet::he {

/// All rows of a polynomial, not transformed, in one base and where they go in another. They may
/// go where they come from. A target that is null is left out.
struct RowConversion {
  const BaseConversion& conversion;
  std::span<uint64_t*const> from, to;
};

/// Makes conversions in sequence, each a piece of all rows at a time, so that what its targets
/// share stays in the cache. The pieces are shared among the context's threads. `wipe` is for
/// secrets. O(k^2 n) for k primes.
void convert_rows(const Context& context, std::span<const RowConversion> conversions,
                  Wipe wipe = Wipe::No);

}  // namespace tacet::he
