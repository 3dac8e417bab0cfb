#include "base/primes.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tacet {

namespace {

/// Products modulo an odd number without divisions (Montgomery, Modular multiplication without
/// trial division, 1985): x stands for x / 2^64.
class OddModulus {
 public:
  explicit OddModulus(uint64_t n) : n_(n), inverse_(n), one_((0 - n) % n) {
    for (int bits = 3; bits < 64; bits *= 2) {  // n is its own inverse modulo 8
      inverse_ *= 2 - n * inverse_;
    }
  }

  /// What stands for 1, and for -1.
  [[nodiscard]] auto one() const -> uint64_t { return one_; }
  [[nodiscard]] auto minus_one() const -> uint64_t { return n_ - one_; }

  /// What stands for x, a number with few bits.
  [[nodiscard]] auto of(uint64_t x) const -> uint64_t {
    uint64_t result = 0;
    for (auto bit = static_cast<unsigned>(std::bit_width(x)); bit-- > 0;) {
      result = sum(result, result);
      result = (x >> bit & 1) != 0 ? sum(result, one_) : result;
    }
    return result;
  }

  [[nodiscard]] auto product(uint64_t a, uint64_t b) const -> uint64_t {
    const auto wide = static_cast<unsigned __int128>(a) * b;
    const uint64_t factor = static_cast<uint64_t>(wide) * inverse_;
    const auto high = static_cast<uint64_t>(wide >> 64);
    const auto taken = static_cast<uint64_t>(static_cast<unsigned __int128>(factor) * n_ >> 64);
    return high >= taken ? high - taken : high - taken + n_;
  }

  [[nodiscard]] auto power(uint64_t a, uint64_t exponent) const -> uint64_t {
    uint64_t result = one_;
    for (; exponent != 0; exponent >>= 1, a = product(a, a)) {
      if ((exponent & 1) != 0) {
        result = product(result, a);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] auto sum(uint64_t a, uint64_t b) const -> uint64_t {
    return a >= n_ - b ? a - (n_ - b) : a + b;
  }

  uint64_t n_;
  uint64_t inverse_;  ///< modulo 2^64
  uint64_t one_;
};

}  // namespace

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
  const OddModulus modulus(n);
  const int twos = std::countr_zero(n - 1);
  const auto passes = [&](uint64_t base) {
    uint64_t x = modulus.power(modulus.of(base), (n - 1) >> twos);
    if (x == modulus.one() || x == modulus.minus_one()) {
      return true;
    }
    for (int i = 1; i < twos; ++i) {
      x = modulus.product(x, x);
      if (x == modulus.minus_one()) {
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
  const uint64_t least = (uint64_t{1} << (bits - 1)) + 1;
  uint64_t limit = uint64_t{1} << bits;
  while (found.size() < n_primes && (limit = greatest_prime(least, limit, step, taken)) != 0) {
    found.push_back(limit);
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

auto nearest_prime(uint64_t target, uint64_t least, uint64_t limit, uint64_t step,
                   std::span<const uint64_t> taken) -> uint64_t {
  const auto is_good = [&](uint64_t candidate) {
    return candidate >= least && candidate < limit && is_prime(candidate) &&
           !is_taken(taken, candidate);
  };
  uint64_t below =
      std::min(target, limit) < 1 ? 0 : (std::min(target, limit) - 1) / step * step + 1;
  uint64_t above = below + step;
  while (below >= least || above < limit) {
    const bool is_below =
        below >= least && (above >= limit || target <= below || target - below <= above - target);
    const uint64_t candidate = is_below ? below : above;
    if (is_good(candidate)) {
      return candidate;
    }
    if (is_below) {
      if (below < step + least) {
        below = 0;
        if (least == 0) {
          return 0;
        }
      } else {
        below -= step;
      }
    } else {
      above += step;
    }
  }
  return 0;
}

auto greatest_prime(uint64_t least, uint64_t limit, uint64_t step, std::span<const uint64_t> taken)
    -> uint64_t {
  if (limit < 2) {
    return 0;
  }
  for (uint64_t candidate = (limit - 2) / step * step + 1; candidate >= least; candidate -= step) {
    if (is_prime(candidate) && !is_taken(taken, candidate)) {
      return candidate;
    }
    if (candidate < step) {
      break;
    }
  }
  return 0;
}

}  // namespace tacet
