#pragma once

#include "engine/he/parameters.h"

namespace tacet::he {

/// What a computation needs. Each level of it is: a product of two ciphertexts or with a plaintext,
/// and then a sum of 2^log2_terms results, rotated against one another.
struct ParameterNeeds {
  Scheme scheme = Scheme::Bfv;
  /// Slots of a row: N/2 are there.
  size_t n_slots = 1;
  /// Sequential products of ciphertexts, relinearised; and of these levels that are followed by a
  /// product with a plaintext.
  unsigned depth = 1;
  unsigned plain_depth = 0;
  unsigned log2_terms = 0;
  /// BFV, BGV: t, or the bits of one that has slots, to be chosen.
  uint64_t plain_modulus = 0;
  unsigned plain_bits = 20;
  /// CKKS: the bits of the scale, and of the largest value anywhere.
  unsigned scale_bits = 40;
  unsigned magnitude_bits = 1;
  /// Bits of noise that must be left at the end.
  double margin = 3;
  Security security = Security::Bits128;
  /// As in `ParameterRequest`.
  unsigned n_key_holders = 1;
};

/// The parameters with the smallest ring, in it those that cost the fewest transforms a product and
/// a rotation (which chooses the number of special primes, and with it of digits), of these the
/// smallest primes, under which the estimate of noise at the end of such a computation leaves the
/// margin. An error if no ring has a modulus large enough.
auto choose_parameters(const ParameterNeeds& needs) -> Result<Parameters>;

/// The budget that the estimate leaves at the end of the computation, in bits.
auto budget_after(const Parameters& parameters, const ParameterNeeds& needs) -> double;

}  // namespace tacet::he
