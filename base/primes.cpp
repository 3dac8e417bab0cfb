#include "base/primes.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tacet {

static auto multiply_plainly(uint64_t a, uint64_t b, uint64_t n) -> uint64_t {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % n);
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

static auto is_taken(std::span<const uint64_t> taken, uint64_t prime) -> bool {
  return std::find(taken.begin(), taken.end(), prime) != taken.end();
}

auto largest_primes(unsigned bits, uint64_t step, size_t n_primes, std::span<const uint64_t> taken)
    -> std::vector<uint64_t> {
  std::vector<uint64_t> found;
  if (bits < 2 || bits > 62) {
    return found;
  }
  const uint64_t low = uint64_t{1} << (bits - 1);
  for (uint64_t candidate = (2 * low - 2) / step * step + 1;
       found.size() < n_primes && candidate > low; candidate -= step) {
    if (is_prime(candidate) && !is_taken(taken, candidate)) {
      found.push_back(candidate);
    }
    if (candidate < step) {
      break;
    }
  }
  return found;
}

auto least_prime(uint64_t least, uint64_t limit, uint64_t step, std::span<const uint64_t> taken)
    -> uint64_t {
  const uint64_t first = least <= 1 ? 1 : (least - 2) / step * step + step + 1;
  for (uint64_t candidate = first; candidate < limit; candidate += step) {
    if (is_prime(candidate) && !is_taken(taken, candidate)) {
      return candidate;
    }
  }
  return 0;
}

}  // namespace tacet
