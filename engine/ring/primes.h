#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/ring/modulus.h"

namespace tacet::ring {

/// Whether `n` is prime: Miller and Rabin's test with bases that decide it for every word.
auto is_prime(uint64_t n) -> bool;

/// The `n_primes` largest primes of exactly `bits` bits that are 1 modulo `step` (2N for a
/// transform of N words), in falling order, none of them in `taken`. Fewer if there are no more.
auto largest_primes(unsigned bits, uint64_t step, size_t n_primes,
                    std::span<const uint64_t> taken = {}) -> std::vector<uint64_t>;

/// The least primitive root of unity of order `order`, a power of two that divides q - 1; q is
/// prime. So the choice of roots is part of no format.
auto least_primitive_root(uint64_t order, const Modulus& q) -> uint64_t;

}  // namespace tacet::ring
