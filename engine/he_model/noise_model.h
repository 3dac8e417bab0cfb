#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/he_model/scheme.h"

/// How the noise of ciphertexts grows, without looking at any: the standard deviation of its
/// coefficients, as a logarithm to the base 2. A key holder can measure instead
/// (`measured_budget`).
///
/// Polynomials have coefficients of mean zero; the product of two independent ones has the
/// deviation √N σ τ. Sums add deviations, not variances, as operands may be the same ciphertext.
/// Products of dependent ones are larger: the p-th power of a normal polynomial has not σ^p but
/// √(p!) σ^p, as its N values are what is raised. So the model counts how many factors of one kind
/// a noise may consist of, and a product of p and q of them counts binomial(p + q, p)^(w/2) times
/// what independence would give: w is 2 for BGV, where both factors of such noise as u e come back
/// when it is squared, and 1 for BFV, where the secret does with every product (what Biasioli,
/// Marcolla, Calderini and Mono correct for in "Improving and Automating BFV Parameters Selection:
/// An Average-Case Approach", with a fitted function in place of our binomial).
namespace tacet::he {

/// log2(2^a + 2^b), 2e-9 off at most. Minus infinity stands for 0.
auto add_logarithms(double a, double b) -> double;

/// What the model knows of a ciphertext.
struct NoiseState {
  double noise = 0;      ///< log2 of the standard deviation
  double scale = 1;      ///< CKKS
  double magnitude = 0;  ///< CKKS: a bound of |value| over all slots
  double n_factors = 1;  ///< that may depend on one another
  size_t n_primes = 0;
};

/// What an operation makes of noise.
struct NoiseGrowth {
  double noise = 0;
  double n_factors = 1;
};

/// By what the deviation of r_0 + r_1 s + … + r_d s^d, which rounding adds, must be multiplied so
/// that ten times as much is exceeded in some slot of a CKKS ciphertext with probability 2^-40, for
/// d up to 2.
///
/// Of coefficients, sums of many numbers, tails are those of normal numbers. In a slot r and s are
/// complex numbers, near normal, and s is the same in all roundings. The real part of r s has
/// Laplace's distribution: it exceeds k deviations sqrt(E |r|^2 |s|^2) with probability exp(-2 k),
/// which for 2^15 slots takes k = 19. That of r s^2 exceeds k sqrt(E |r|^2) E |s|^2 with
/// probability exp(-3/2 (2 k^2)^(1/3)), so k = 91.
auto tail_factor(size_t degree) -> double;

class NoiseModel {
 public:
  /// For primes of these sizes (log2), which need not exist. `plain_modulus` is t, none for CKKS.
  /// With several key holders, the secret is the sum of as many ternary ones, and keys have the
  /// errors of all.
  NoiseModel(Scheme scheme, size_t ring_dimension, double plain_modulus,
             std::vector<double> data_bits, std::vector<double> special_bits,
             unsigned n_key_holders = 1);

  [[nodiscard]] auto ring_dimension() const -> double { return n_; }
  /// log2 of the primes.
  [[nodiscard]] auto data_bits() const -> const std::vector<double>& { return data_bits_; }
  [[nodiscard]] auto special_bits() const -> const std::vector<double>& { return special_bits_; }
  /// log2 of the product of the first data primes.
  [[nodiscard]] auto modulus_bits(size_t n_primes) const -> double;

  /// Of what encryption adds.
  [[nodiscard]] auto fresh_public() const -> double;
  [[nodiscard]] auto fresh_symmetric() const -> double;
  /// Of the product of two ciphertexts of degree one.
  [[nodiscard]] auto product(const NoiseState& a, const NoiseState& b) const -> NoiseGrowth;
  /// BFV, BGV: of a ciphertext times a plaintext whose coefficients are bounded by `bound`.
  [[nodiscard]] auto plain_product(double noise, double bound) const -> double;
  /// What rounding the parts of a ciphertext of this degree adds.
  [[nodiscard]] auto rounding(size_t degree) const -> double { return rounding_[degree]; }
  /// What switching keys adds, for a polynomial of `n_primes` data primes.
  [[nodiscard]] auto key_switch(size_t n_primes, KeyOrigin origin = KeyOrigin::Square) const
      -> double;
  /// Of a ciphertext after its last prime was dropped.
  [[nodiscard]] auto dropped(const NoiseState& a, size_t degree) const -> NoiseGrowth;

  /// The bits of noise that may still be added before decryption can fail; negative if it may fail
  /// already. Ten standard deviations are taken for the largest coefficient. For CKKS: the bits of
  /// the modulus above the message and its noise.
  [[nodiscard]] auto budget(const NoiseState& a) const -> double;
  /// CKKS: a bound of the error of each decrypted slot, as ten standard deviations.
  [[nodiscard]] auto error(const NoiseState& a) const -> double;
  /// CKKS: the noise that has this error.
  [[nodiscard]] auto noise_of(double error, double scale) const -> double;

 private:
  [[nodiscard]] auto rounding_deviation(size_t degree) const -> double;
  [[nodiscard]] auto key_error_variance(KeyOrigin origin) const -> double;

  Scheme scheme_;
  double n_;
  double n_key_holders_;
  double log_root_n_;
  double log_t_;
  std::vector<double> data_bits_, special_bits_;
  std::vector<double> modulus_bits_;  ///< by number of data primes
  std::array<double, 3> rounding_{};  ///< log2 of `rounding_deviation`, by degree
  double log_carry_ = 0;              ///< BFV: log2 of what both k of a product are together
};

}  // namespace tacet::he
