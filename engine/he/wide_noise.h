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

  /// Modulo a prime, not transformed.
  void residues(const Modulus& q, uint64_t* out) const;

 private:
  [[nodiscard]] auto n_limbs() const -> size_t;

  size_t n_;
  unsigned bits_;
  SecureVector<uint64_t> limbs_;  ///< the least significant ones of all numbers first
};

/// Adds it as noise of a ciphertext, times t for BGV, to a transformed polynomial over the first
/// data primes.
void add_noise(const Context& context, const WideNoise& noise, Rows& transformed);

}  // namespace tacet::he
