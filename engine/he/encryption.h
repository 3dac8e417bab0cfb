#pragma once

#include "base/result.h"
#include "engine/he/objects.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::he {

/// Encrypts modulo the first `n_primes` data primes, or all; a CKKS plaintext's own number of
/// primes is taken. An error if objects belong to other parameters.
auto encrypt(const Context& context, const PublicKey& key, const Plaintext& plaintext,
             SecureRandom& random, size_t n_primes = 0) -> Result<Ciphertext>;

/// The same by the secret key: less noise, and half of it is a seed when stored.
auto encrypt(const Context& context, const SecretKey& key, const Plaintext& plaintext,
             SecureRandom& random, size_t n_primes = 0) -> Result<Ciphertext>;

/// Who sees a decrypted CKKS message. An approximate message carries its noise, and who knows noise
/// and ciphertext knows the key (Li and Micciancio, "On the Security of Homomorphic Encryption on
/// Approximate Numbers"): what is published gets fresh normal noise, wide enough to hide it, by Li,
/// Micciancio, Schultz and Sorrell, "Securing Approximate Homomorphic Encryption Using Differential
/// Privacy" (CRYPTO 2022): of the deviation sqrt(12 r) 2^(s / 2) |e|, with r results, s bits of
/// statistical security, and the length |e| of the noise. Taken for that are ten deviations of each
/// of the N coefficients.
struct CkksAudience {
  enum class Kind { KeyHolder, Public };

  Kind kind = Kind::Public;
  /// s. The paper's own choice, section 4.4.
  double statistical_bits = 64;
  /// How many results are published in all that were computed under this key.
  double n_results = 1;
};

/// How many times as wide as the noise estimated the published noise is, as a logarithm.
auto hiding_bits(const Context& context, const CkksAudience& audience) -> double;

/// The message. Errors, so that no wrong message is taken for one: another key or other parameters
/// than the ciphertext's; noise that by its estimate may be too much, that which hides it included;
/// and what hides it drowning the message, which then needs a larger scale.
auto decrypt(const Context& context, const SecretKey& key, const Ciphertext& ciphertext,
             SecureRandom& random, const CkksAudience& audience = {}) -> Result<Plaintext>;

/// The bits of noise that may still be added, measured with the key: exact, where
/// `estimated_budget` is a bound. For CKKS: the bits of the modulus above the message. Must not be
/// revealed to a party that may choose the ciphertexts, as it leaks information about the key.
auto measured_budget(const Context& context, const SecretKey& key, const Ciphertext& ciphertext)
    -> Result<double>;

}  // namespace tacet::he
