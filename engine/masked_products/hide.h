#pragma once

#include "engine/masked_products/setting.h"

namespace tacet::masked_products {

/// Slots, a row of residues modulo the plain modulus, as what ciphertexts are multiplied with: a
/// row a data prime, transformed. The order of slots is that of transformed polynomials, the same
/// for encryptions, factors and masks. `slots` is overwritten.
auto prepare_slots(const he::Context& context, uint64_t* slots) -> he::Rows;

/// `sum` plus the slots of `mask` (overwritten), made to say nothing but its message: an encryption
/// of zero under `key` is added, and a uniform number of 104 bits to each coefficient of the noise.
/// One prime is dropped.
auto hide(const he::Context& context, const he::PublicKey& key, he::Ciphertext sum, uint64_t* mask,
          he::SecureRandom& random) -> Result<he::Ciphertext>;

/// log2 of the standard deviation of the noise after `hide`.
auto hidden_noise(const he::Context& context) -> double;

}  // namespace tacet::masked_products
