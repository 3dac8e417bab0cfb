#pragma once

#include <cstdint>
#include <vector>

#include "engine/secure_random/random_stream.h"
#include "engine/secure_random/seed_expander.h"

namespace tacet::mpc {

/// Every order of 0 … n - 1 as likely as any other, `n` < 2^32: the same for everybody who has the
/// same stream. Fisher and Yates; numbers below a bound by Lemire, "Fast Random Integer Generation
/// in an Interval", algorithm 5, on words of 64 bits.
auto uniform_permutation(secure_random::RandomStream& random, size_t n) -> std::vector<uint32_t>;

}  // namespace tacet::mpc
