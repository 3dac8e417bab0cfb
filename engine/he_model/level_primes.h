#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet::he {

/// Primes for the levels of CKKS, from the one that is dropped first, which keep scales near a
/// power of two.
///
/// A value with the scale s that is squared and divided by a prime q has the scale s^2 / q: what s
/// is off 2^bits counts twice on the next level, so with primes that are all below 2^bits no scale
/// is left after some 15 to 30 levels. So each prime is the largest that is left below 2^bits, as
/// for other schemes, but where the scale would be off by more than 2^-9 of it, the nearest to s^2
/// / 2^bits, which brings it back. (Kim, Papadimitriou and Polyakov, "Approximate Homomorphic
/// Encryption with Reduced Approximation Error", keep scales exact by other means.) Such a prime
/// may be a little above 2^bits: the product of primes exceeds what was requested by less than
/// `kModulusSlack` bits.
class LevelPrimes {
 public:
  /// Primes of about so many bits, at most `kMaxPrimeBits`, that are 1 modulo `step`.
  LevelPrimes(unsigned bits, uint64_t step) : bits_(bits), step_(step) {}

  /// The prime number `at`; 0 if there are no more.
  auto at(size_t at) -> uint64_t;

 private:
  unsigned bits_;
  uint64_t step_;
  double ratio_ = 1;  ///< the scale of the next level, by 2^bits
  std::vector<uint64_t> primes_;
};

}  // namespace tacet::he
