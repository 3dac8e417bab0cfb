#include "engine/he_model/level_primes.h"

#include <algorithm>
#include <cmath>

#include "base/primes.h"
#include "engine/he_model/scheme.h"

namespace tacet::he {

auto LevelPrimes::at(size_t at) -> uint64_t {
  const double power = std::ldexp(1.0, static_cast<int>(bits_));
  const uint64_t least = (uint64_t{1} << (bits_ - 1)) + 1;
  const uint64_t limit = uint64_t{1} << std::min(bits_ + 1, kMaxPrimeBits);
  while (primes_.size() <= at && primes_.size() < kMaxPrimes) {
    constexpr double kMostOff = 0x1p-9;
    const double target = ratio_ * ratio_ * power;
    uint64_t prime = greatest_prime(least, uint64_t{1} << bits_, step_, primes_);
    if (prime == 0 || std::abs(target / static_cast<double>(prime) - 1) > kMostOff) {
      const double most = static_cast<double>(limit);
      const uint64_t nearest = nearest_prime(static_cast<uint64_t>(std::min(target, most)), least,
                                             limit, step_, primes_);
      prime = nearest != 0 ? nearest : prime;
    }
    if (prime == 0) {
      break;
    }
    primes_.push_back(prime);
    ratio_ = ratio_ * ratio_ * power / static_cast<double>(prime);
  }
  return at < primes_.size() ? primes_[at] : 0;
}

}  // namespace tacet::he
