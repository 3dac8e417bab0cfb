#include "engine/ring/primes.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::ring {

static auto multiply_plainly(uint64_t a, uint64_t b, uint64_t n) -> uint64_t {
  return static_cast<uint64_t>(static_cast<Uint128>(a) * b % n);
}

static auto power_plainly(uint64_t a, uint64_t exponent, uint64_t n) -> uint64_t {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, a = multiply_plainly(a, a, n)) {
    if ((exponent & 1) != 0) {
      result = multiply_plainly(result, a, n);
    }
  }
  return result;
}

auto is_prime(uint64_t n) -> bool {
  // The first twelve primes decide it below 3.3 * 10^24 (Sorenson and Webster).
  constexpr uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (n < 2) {
    return false;
  }
  for (const uint64_t base : kBases) {
    if (n % base == 0) {
      return n == base;
    }
  }
  const int twos = std::countr_zero(n - 1);
  const auto passes = [&](uint64_t base) {
    uint64_t x = power_plainly(base, (n - 1) >> twos, n);
    if (x == 1 || x == n - 1) {
      return true;
    }
    for (int i = 1; i < twos; ++i) {
      x = multiply_plainly(x, x, n);
      if (x == n - 1) {
        return true;
      }
    }
    return false;
  };
  return std::all_of(std::begin(kBases), std::end(kBases), passes);
}

auto largest_primes(unsigned bits, uint64_t step, size_t n_primes, std::span<const uint64_t> taken)
    -> std::vector<uint64_t> {
  std::vector<uint64_t> found;
  if (bits < 2 || bits > kMaxModulusBits) {
    return found;
  }
  const uint64_t low = uint64_t{1} << (bits - 1);
  for (uint64_t candidate = (2 * low - 2) / step * step + 1;
       found.size() < n_primes && candidate > low; candidate -= step) {
    if (is_prime(candidate) && std::find(taken.begin(), taken.end(), candidate) == taken.end()) {
      found.push_back(candidate);
    }
    if (candidate < step) {
      break;
    }
  }
  return found;
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
