#pragma once

#include <cstddef>
#include <vector>

#include "engine/he_model/scheme.h"

/// An upper bound of the noise of a ciphertext, where `NoiseModel` estimates it.
namespace tacet::he {

/// The statistical distance, as a power of one half, between a result that a server has hidden and
/// one that depends on its numbers through the result alone.
inline constexpr double kHidingBits = 40;

/// A result is computed modulo at most so many primes: each has its part of the distance.
inline constexpr double kMostHiddenParts = 4;

/// Bounds of the noise's coefficients, as logarithms to the base 2. They hold for all messages, all
/// plaintexts and all keys that are made as this engine makes them: nothing in them is an average.
/// They rest on |a b| <= N |a| |b|, with |·| the largest coefficient, on ternary secrets, or sums
/// of one for each key holder, and on errors of at most 21 (`kErrorBound`) of each. The noise is
/// defined by `CiphertextMetadata::noise`.
class NoiseBounds {
 public:
  /// As `NoiseModel`.
  NoiseBounds(Scheme scheme, size_t ring_dimension, double plain_modulus,
              std::vector<double> data_bits, std::vector<double> special_bits,
              unsigned n_key_holders = 1);

  /// Of what encryption adds.
  [[nodiscard]] auto fresh_public() const -> double;
  [[nodiscard]] auto fresh_symmetric() const -> double;
  /// BFV, BGV: of a sum of so many encryptions under the public key.
  [[nodiscard]] auto fresh_sum(size_t n_encryptions) const -> double;
  /// Of a sum of ciphertexts, or a difference.
  [[nodiscard]] auto sum(double a, double b) const -> double;
  /// BFV, BGV: of the product of two ciphertexts of degree one.
  [[nodiscard]] auto product(double a, double b) const -> double;
  /// CKKS: the same, where no slot is larger than these, times the scale.
  [[nodiscard]] auto product(double a, double largest_a, double b, double largest_b) const
      -> double;
  /// BFV, BGV: of a ciphertext times a plaintext whose coefficients are at most `largest`.
  [[nodiscard]] auto plain_product(double a, double largest) const -> double;
  /// BFV, BGV: of a ciphertext times an integer.
  [[nodiscard]] auto multiple(double a, double factor) const -> double;
  /// Of what has its keys switched, with `n_primes` data primes.
  [[nodiscard]] auto switched(double a, size_t n_primes, KeyOrigin origin = KeyOrigin::Square) const
      -> double;
  /// Of what has `n_primes` primes, the last of which is dropped.
  [[nodiscard]] auto dropped(double a, size_t n_primes, size_t degree) const -> double;

  /// How many bits the uniform numbers have that hide noise of at most `a`, and that of the zero
  /// under the public key that is added with them, in one of `n_ciphertexts` of a result: each
  /// coefficient's distribution is moved by no more than its noise, so the distance is at most
  /// N n (2^a + that) / 2^bits, here 2^-40 for `kMostHiddenParts` of them.
  [[nodiscard]] auto hiding_bits(double a, size_t n_ciphertexts) const -> double;
  /// The bits of noise that may still be added once noise of at most `a` is hidden; negative if a
  /// hidden result may not decrypt.
  [[nodiscard]] auto hidden_budget(double a, size_t n_primes, size_t n_ciphertexts) const -> double;

  /// How many bits the uniform numbers have that a key holder adds to its share of a decryption, so
  /// that noise of at most `a` moves their distribution by at most 2^-40 in all N coefficients:
  /// more than 2^40 times as wide as that noise.
  [[nodiscard]] auto flooding_bits(double a) const -> double;
  /// Of noise of at most `a` with the numbers of `n_shares` key holders.
  [[nodiscard]] auto flooded(double a, unsigned n_shares) const -> double;
  /// The bits that are left then; negative if a result may not be decrypted.
  [[nodiscard]] auto flooded_budget(double a, size_t n_primes, unsigned n_shares) const -> double;

 private:
  [[nodiscard]] auto rounding(size_t degree) const -> double;
  [[nodiscard]] auto key_error(KeyOrigin origin) const -> double;

  Scheme scheme_;
  double log_n_;
  double n_key_holders_;
  double log_t_;
  std::vector<double> special_bits_;
  std::vector<double> data_bits_;
  std::vector<double> modulus_bits_;  ///< by number of data primes
};

}  // namespace tacet::he
