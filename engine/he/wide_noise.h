#pragma once

#include "base/wipe.h"
#include "engine/he/context.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::he {

/// Uniform numbers of [-2^(bits - 1), 2^(bits - 1)), one for each coefficient; `bits` is not zero.
/// Wiped when freed.
class WideNoise {
 public:
  WideNoise(size_t n, unsigned bits, secure_random::SecureRandom& random);

  /// Modulo a prime, not transformed, by kernels that give aligned rows of eight words at a time.
  void residues(const ring::Kernels& kernels, const Modulus& q, uint64_t* out) const;

 private:
  size_t n_;
  unsigned bits_;
  /// Of 32 bits, a row of `n_` words each, the least significant ones of all numbers first; and a
  /// row of ones behind them.
  SecureVector<uint64_t> limbs_;
};

/// Adds it as noise of a ciphertext, times t for BGV, to a transformed polynomial over the first
/// data primes.
void add_noise(const Context& context, const WideNoise& noise, Rows& transformed);

}  // namespace tacet::he
