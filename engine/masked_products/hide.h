#pragma once

#include "engine/masked_products/setting.h"

namespace tacet::masked_products {

/// A polynomial, coefficients modulo the plain modulus, as what ciphertexts are multiplied with: a
/// row a data prime, transformed.
auto prepare_factor(const he::Context& context, const uint64_t* coefficients) -> he::Rows;

/// `sum` plus the polynomial `mask`, coefficients modulo the plain modulus, made to say nothing but
/// its message: an encryption of zero under `key` is added, and a uniform number of
/// `Slack::kNoiseBits` bits to each coefficient of the noise. Two primes are dropped.
auto hide(const he::Context& context, const he::PublicKey& key, he::Ciphertext sum,
          const uint64_t* mask, he::SecureRandom& random) -> Result<he::Ciphertext>;

/// log2 of the standard deviation of the noise after `hide`.
auto hidden_noise(const he::Context& context) -> double;

}  // namespace tacet::masked_products
