#pragma once

#include <cstdint>

#include "base/result.h"

/// What can be said of CGGI (TFHE) without keys: parameters, noise, failure probabilities, costs.
///
/// Ciphertexts live on the torus R/Z. A value is a ciphertext of dimension `extracted_dimension()`
/// modulo 2^64. A bootstrap switches its key to `lwe_dimension`, modulo 2^32, rounds it to
/// multiples of 1/(2 N), rotates a test polynomial by it under encryption and extracts a
/// coefficient.
namespace tacet::cggi {

/// Signed digits: a torus element is approximated by `n_levels` digits in base 2^log2_base.
struct Decomposition {
  unsigned log2_base = 0;
  unsigned n_levels = 0;

  friend auto operator==(const Decomposition&, const Decomposition&) -> bool = default;
};

enum class Security : uint8_t {
  None,     ///< for tests: nothing is hidden
  Bits128,  ///< at least 128 bits against the known attacks on LWE with binary secrets
};

/// All keys are binary, all errors have the given variance, as a square of torus units.
struct Parameters {
  unsigned lwe_dimension = 0;    ///< n: bits of the key that steers a rotation
  unsigned glwe_dimension = 0;   ///< k: polynomials of the key of values
  unsigned polynomial_size = 0;  ///< N, a power of two
  Decomposition rotation{};
  Decomposition key_switch{};
  double lwe_variance = 0;
  double glwe_variance = 0;
  Security security = Security::Bits128;

  /// k N: bits of the key of values.
  [[nodiscard]] constexpr auto extracted_dimension() const -> unsigned {
    return glwe_dimension * polynomial_size;
  }

  friend auto operator==(const Parameters&, const Parameters&) -> bool = default;
};

/// Words of a key switch are residues modulo 2^32.
constexpr unsigned kLog2SwitchedModulus = 32;
constexpr unsigned kLog2Modulus = 64;

constexpr unsigned kMaxGlweDimension = 7;
constexpr unsigned kMinPolynomialSize = 128;
constexpr unsigned kMaxPolynomialSize = 1U << 14;

/// The smallest variance of errors that keeps a binary key of `dimension` bits secret for words of
/// `log2_modulus` bits, by the curve of the lattice estimator for 132 bits that TFHE-rs publishes.
/// For `Security::None` zero.
auto least_variance(Security security, unsigned dimension, unsigned log2_modulus) -> double;

/// Sizes that the engine has kernels for, errors that keep the keys as secret as is promised.
/// To be called on parameters that come from outside, before anything else.
auto check_parameters(const Parameters& parameters) -> Status;

}  // namespace tacet::cggi
