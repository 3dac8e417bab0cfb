#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/primes.h"
#include "engine/ring/modulus.h"

namespace tacet::ring {

using tacet::greatest_prime;
using tacet::is_prime;

/// `tacet::largest_primes` with `step` 2N for a transform of N words; none of more bits than a
/// modulus has.
auto largest_primes(unsigned bits, uint64_t step, size_t n_primes,
                    std::span<const uint64_t> taken = {}) -> std::vector<uint64_t>;

/// The least primitive root of unity of order `order`, a power of two that divides q - 1; q is
/// prime. So the choice of roots is part of no format.
auto least_primitive_root(uint64_t order, const Modulus& q) -> uint64_t;

}  // namespace tacet::ring
