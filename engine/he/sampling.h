#pragma once

#include <cstdint>

#include "base/wipe.h"
#include "engine/he/context.h"
#include "engine/secure_random/secure_random.h"
#include "engine/secure_random/seed_expander.h"

namespace tacet::he {

/// A polynomial with small coefficients. Wiped when freed.
class SmallPolynomial {
 public:
  static auto ternary(const Context& context, secure_random::SecureRandom& random)
      -> SmallPolynomial;
  static auto error(const Context& context, secure_random::SecureRandom& random) -> SmallPolynomial;
  /// `weight` coefficients of 1 or -1, in places that are drawn, and zeros. At most half of all.
  /// O(weight n).
  static auto sparse(const Context& context, size_t weight, secure_random::SecureRandom& random)
      -> SmallPolynomial;

  /// Its coefficients modulo a prime of the context, not transformed.
  void residues(const Context& context, size_t prime, uint64_t* out) const;
  /// The same times t for BGV, whose errors are multiples of t.
  void error_residues(const Context& context, size_t prime, uint64_t* out) const;

 private:
  explicit SmallPolynomial(size_t n) : coefficients_(n) {}

  SecureVector<int8_t> coefficients_;
};

/// A uniformly random row modulo a prime of the context: stream number `stream` of a seed.
void expand_row(const Context& context, const secure_random::PublicSeed& seed, uint64_t stream,
                size_t prime, uint64_t* out);

}  // namespace tacet::he
