#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/wipe.h"
#include "engine/he/objects.h"

namespace tacet::he {

/// Messages for BFV and BGV: vectors of integers modulo t as polynomials.
///
/// Slots form two rows of N/2: with ψ the least primitive 2N-th root of unity modulo t, slot i of
/// the first row is the polynomial's value at ψ^(5^i), of the second at ψ^(-5^i). Then X -> X^5
/// rotates both rows by one slot, and X -> X^-1 swaps them. Encoding and decoding take O(n log n)
/// and no branch or address that depends on the numbers.
class IntegerEncoder {
 public:
  explicit IntegerEncoder(const Context& context);

  /// Numbers of (-t, t), the first row before the second; missing ones are zero. An error if there
  /// are more than N, one is too large, or the parameters have no slots.
  auto encode(std::span<const int64_t> slots) const -> Result<Plaintext>;
  /// All N slots, of [-t/2, t/2].
  auto decode(const Plaintext& plaintext) const -> Result<std::vector<int64_t>>;

  /// The same for coefficients, which add like slots and multiply like polynomials; any t will do.
  auto encode_coefficients(std::span<const int64_t> coefficients) const -> Result<Plaintext>;
  auto decode_coefficients(const Plaintext& plaintext) const -> Result<std::vector<int64_t>>;

 private:
  auto residues(std::span<const int64_t> values) const -> Result<Plaintext>;
  auto near_zero(const uint64_t* row) const -> std::vector<int64_t>;

  const Context* context_;
  std::vector<uint32_t> places_;  ///< where slot i is in a transformed polynomial
};

/// A message for CKKS as rounded coefficients, which are the same for all primes: a word each.
struct RoundedMessage {
  SecureVector<int64_t> coefficients;
  int log_unit = 0;  ///< coefficients are multiples of this power of two
  double scale = 1;
  double magnitude = 0;
};

/// Messages for CKKS: vectors of N/2 complex numbers as real polynomials (Cheon, Kim, Kim and Song,
/// "Homomorphic Encryption for Arithmetic of Approximate Numbers"). With
/// ζ = exp(πi/N), slot i is the value at ζ^(5^i); X -> X^5 rotates by one slot, and X -> X^-1
/// conjugates. O(n log n).
class ComplexEncoder {
 public:
  explicit ComplexEncoder(const Context& context);

  /// Times `scale`, rounded to integers, modulo the first `n_primes` data primes, or all. No number
  /// is larger than `bound`, which is not secret: the estimate of its noise rests on it. What is
  /// encoded has the precision of doubles, however large `scale` is. An error if there are too many
  /// numbers, one is larger or no number, or `bound` times `scale` has more than 1000 bits. No
  /// branch and no address depends on the numbers.
  auto encode(std::span<const std::complex<double>> slots, double scale, size_t n_primes = 0,
              double bound = 1) const -> Result<Plaintext>;
  auto encode(std::span<const double> slots, double scale, size_t n_primes = 0,
              double bound = 1) const -> Result<Plaintext>;
  /// The two halves of `encode`: what takes no primes, and the rest, which takes a transform each.
  auto round(std::span<const double> slots, double scale, double bound) const
      -> Result<RoundedMessage>;
  auto with_primes(const RoundedMessage& message, size_t n_primes) const -> Result<Plaintext>;
  /// The same rows, and behind them those modulo the special primes.
  auto encode_extended(std::span<const std::complex<double>> slots, double scale, size_t n_primes,
                       double bound) const -> Result<Rows>;
  /// All N/2 slots.
  auto decode(const Plaintext& plaintext) const -> Result<std::vector<std::complex<double>>>;

 private:
  auto rounded_message(std::span<const std::complex<double>> slots, double scale,
                       double bound) const -> Result<RoundedMessage>;
  auto rows_of(const RoundedMessage& message, size_t n_rows, size_t n_primes) const -> Result<Rows>;
  void transform(std::span<std::complex<double>> values) const;
  void transform_back(std::span<std::complex<double>> values) const;

  const Context* context_;
  std::vector<std::complex<double>> roots_;  ///< by node, as in `ring::NttTables`
  std::vector<uint32_t> places_;
};

}  // namespace tacet::he
