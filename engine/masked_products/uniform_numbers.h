#pragma once

#include "engine/he/context.h"
#include "engine/ring/modulus.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::masked_products {

/// A uniform number of [0, 2^n_bits) for each coefficient of a polynomial, exactly. Wiped.
class UniformNumbers {
 public:
  UniformNumbers(const he::Context& context, unsigned n_bits, secure_random::SecureRandom& random);

  /// Modulo `q`.
  void residues(const he::Context& context, const ring::Modulus& q, uint64_t* out) const;

 private:
  he::Rows limbs_;
};

}  // namespace tacet::masked_products
