#pragma once

#include "engine/he/context.h"
#include "engine/he/objects.h"

/// How the noise of ciphertexts grows, without looking at any: the standard deviation of its
/// coefficients, as a logarithm to the base 2. A key holder can measure instead
/// (`measured_budget`).
///
/// Polynomials are taken for independent with coefficients of mean zero, so that a product has the
/// deviation √N σ τ; sums add deviations, not variances, as operands may be the same ciphertext.
/// Powers of the secret are not independent, which is why a product of ciphertexts counts twice
/// what independence would give (Biasse, Chevignard, Hmida and others bound that factor in "An
/// Accurate Noise Model for BFV").
namespace tacet::he {

/// log2(2^a + 2^b)
auto add_logarithms(double a, double b) -> double;

/// Of what encryption adds.
auto fresh_public_noise(const Context& context) -> double;
auto fresh_symmetric_noise(const Context& context) -> double;

/// Of the product of two ciphertexts modulo `n_primes` data primes, degree one each.
auto product_noise(const Context& context, const Ciphertext& a, const Ciphertext& b) -> double;
/// Of a ciphertext times a plaintext whose coefficients are bounded by `bound`.
auto plain_product_noise(const Context& context, double noise, double bound) -> double;
/// What switching keys adds, for a polynomial of `n_primes` data primes.
auto key_switch_noise(const Context& context, size_t n_primes) -> double;
/// Of a ciphertext of `n_primes` primes and this noise after its last prime was dropped.
auto dropped_noise(const Context& context, double noise, size_t n_primes, size_t degree) -> double;

/// The bits of noise that may still be added before decryption can fail; negative if it may fail
/// already. Ten standard deviations are taken for the largest coefficient. For CKKS: the bits of
/// the modulus above the message and its noise.
auto estimated_budget(const Context& context, const Ciphertext& a) -> double;

/// CKKS: a bound of the error of each decrypted slot, as ten standard deviations.
auto estimated_error(const Context& context, const Ciphertext& a) -> double;

}  // namespace tacet::he
