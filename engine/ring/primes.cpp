#include "engine/ring/primes.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::ring {

auto largest_primes(unsigned bits, uint64_t step, size_t n_primes, std::span<const uint64_t> taken)
    -> std::vector<uint64_t> {
  return bits > kMaxModulusBits ? std::vector<uint64_t>()
                                : tacet::largest_primes(bits, step, n_primes, taken);
}

auto least_primitive_root(uint64_t order, const Modulus& q) -> uint64_t {
  TACET_CHECK(std::has_single_bit(order) && (q.value - 1) % order == 0,
              "no root of unity of this order");
  // Some base's cofactor power has the full order: half of all bases do.
  uint64_t root = 0;
  for (uint64_t base = 2; root == 0; ++base) {
    const uint64_t candidate = power(base % q.value, (q.value - 1) / order, q);
    if (order == 1 || power(candidate, order / 2, q) == q.value - 1) {
      root = candidate;
    }
  }
  // The others are its odd powers.
  const uint64_t square = multiply(root, root, q);
  uint64_t least = root;
  for (uint64_t i = 1; i < order / 2; ++i) {
    root = multiply(root, square, q);
    least = std::min(least, root);
  }
  return least;
}

}  // namespace tacet::ring
