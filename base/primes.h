#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacet {

/// Whether `n` is prime: Miller and Rabin's test with bases that decide it for every word.
auto is_prime(uint64_t n) -> bool;

/// The `n_primes` largest primes of exactly `bits` bits, 2 to 62, that are 1 modulo `step`, in
/// falling order, none of them in `taken`. Fewer if there are no more.
auto largest_primes(unsigned bits, uint64_t step, size_t n_primes,
                    std::span<const uint64_t> taken = {}) -> std::vector<uint64_t>;

/// The least prime of at least `least`, below 2^62, that is 1 modulo `step`, and not in `taken`; 0
/// if there is none below `limit`, which is at most 2^62.
auto least_prime(uint64_t least, uint64_t limit, uint64_t step,
                 std::span<const uint64_t> taken = {}) -> uint64_t;

/// The greatest prime below `limit`, of at least `least`, that is 1 modulo `step`, and not in
/// `taken`; 0 if there is none.
auto greatest_prime(uint64_t least, uint64_t limit, uint64_t step,
                    std::span<const uint64_t> taken = {}) -> uint64_t;

/// The prime nearest to `target`, of at least `least` and below `limit` (at most 2^62), that is 1
/// modulo `step`, and not in `taken`; of two the smaller one, and 0 if there is none.
auto nearest_prime(uint64_t target, uint64_t least, uint64_t limit, uint64_t step,
                   std::span<const uint64_t> taken = {}) -> uint64_t;

}  // namespace tacet
