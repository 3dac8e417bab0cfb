#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/he/context.h"
#include "engine/secure_random/seed_expander.h"

namespace tacet::he {

using secure_random::PublicSeed;
using secure_random::SecureRandom;

/// Names a secret key without saying anything of it: a random number. Objects made with a key carry
/// its name, so that using another one is an error and not rubbish.
using KeyId = uint64_t;

/// An encoded message.
///
/// BFV and BGV: one row, the coefficients modulo t of the polynomial whose values are the slots.
/// CKKS: a row for each of the first data primes, transformed, of a polynomial whose values are
/// `scale` times the slots.
struct Plaintext {
  Rows rows;
  double scale = 1;
  /// CKKS: a bound of |value| over all slots, for the estimate of noise.
  double magnitude = 0;
  ParameterDigest parameters{};
};

/// A plaintext made ready for many operations with ciphertexts of up to `rows.n_rows()` primes:
/// transformed, a row a prime.
struct PlainFactor {
  Rows rows;
  double scale = 1;
  double magnitude = 0;
  ParameterDigest parameters{};
};

/// The noise of who knows what.
inline constexpr double kUnknownBound = std::numeric_limits<double>::infinity();

/// What is known of a ciphertext besides its polynomials. An operation copies it whole from an
/// operand, and then changes the fields on which it has an effect.
struct CiphertextMetadata {
  /// CKKS: what the message is multiplied by.
  double scale = 1;
  /// CKKS: a bound of |value| over all slots.
  double magnitude = 0;
  /// BGV: what the message is multiplied by, modulo t: modulus switching divides it.
  uint64_t correction = 1;
  /// log2 of the standard deviation of the noise's coefficients, by the rules of `NoiseModel`. The
  /// noise is what the phase differs by from round(Q m / t) (BFV), m, divided by t (BGV), or m
  /// (CKKS).
  double noise = 0;
  /// How many factors of it may depend on one another (`NoiseModel`).
  double n_noise_factors = 1;
  /// log2 of what no coefficient of the noise exceeds, by the rules of `NoiseBounds`, if what it
  /// was encrypted with was made as this engine does. Not stored: of what was, nothing is known.
  double bound = kUnknownBound;
  KeyId key_id = 0;
  ParameterDigest parameters{};
};

/// An encrypted polynomial: `parts[0] + parts[1] s + parts[2] s^2 …` is the message with noise,
/// for the secret s. All parts are transformed and have a row for each of the first data primes.
struct Ciphertext {
  std::vector<Rows> parts;
  CiphertextMetadata metadata{};
  /// What `parts[1]` is expanded from, while it still is what it was when encrypted.
  std::optional<PublicSeed> seed{};

  [[nodiscard]] auto degree() const -> size_t { return parts.size() - 1; }
  /// Primes that are left.
  [[nodiscard]] auto n_primes() const -> size_t { return parts.empty() ? 0 : parts[0].n_rows(); }
};

/// A ternary polynomial, transformed, a row for each data and special prime. Wiped when freed.
struct SecretKey {
  Rows rows;
  KeyId id = 0;
  ParameterDigest parameters{};
};

/// An encryption of zero: (-(a s + e), a), all data primes; e times t for BGV.
struct PublicKey {
  Rows parts[2];
  PublicSeed seed;  ///< of `parts[1]`
  KeyId key_id = 0;
  ParameterDigest parameters{};
};

/// Carries a polynomial that is multiplied by one secret over to the secret of `key_id`: for each
/// digit (-(a s + e) + g s', a) with the gadget g, P modulo the primes of the digit and zero modulo
/// the others, over the first `n_primes` data primes and the special ones. Keys for fewer primes
/// are smaller, and serve ciphertexts that have at most those.
struct KeySwitchKey {
  /// Both halves of row i of all digits stand together, as they are read together.
  Rows rows;
  /// Of the second halves, if they are expanded from one: those of a joint key from s^2 are not.
  std::optional<PublicSeed> seed;
  size_t n_primes = 0;
  size_t n_digits = 0;

  /// Half 0 or 1 of row `i` of a digit: data primes, then special primes.
  [[nodiscard]] auto row(size_t half, size_t digit, size_t i) -> uint64_t* {
    return rows.row(2 * (i * n_digits + digit) + half);
  }
  [[nodiscard]] auto row(size_t half, size_t digit, size_t i) const -> const uint64_t* {
    return rows.row(2 * (i * n_digits + digit) + half);
  }
};

/// From s^2.
struct RelinearisationKey {
  KeySwitchKey key;
  KeyId key_id = 0;
  ParameterDigest parameters{};
};

/// From the images of s under automorphisms, each stored under the inverse automorphism: then the
/// digits of a ciphertext serve all rotations, and only the result is permuted.
struct RotationKeys {
  struct Entry {
    uint64_t galois_element;
    KeySwitchKey key;
  };
  std::vector<Entry> entries;  ///< by Galois element, rising
  KeyId key_id = 0;
  ParameterDigest parameters{};

  [[nodiscard]] auto find(uint64_t galois_element) const -> const KeySwitchKey*;
};

/// What bootstrapping needs beside keys for products and rotations (`he::Bootstrapper`).
struct BootstrappingKeys {
  /// To a sparse secret that is drawn for this, modulo the first data prime and one special prime.
  KeySwitchKey to_sparse;
  /// And back, for all data primes.
  KeySwitchKey to_dense;
  KeyId key_id = 0;
  ParameterDigest parameters{};
};

}  // namespace tacet::he
