#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/ring/modulus.h"

/// Products of numbers of which one side knows one factor and another side the other, as shares:
/// one side sends its factors encrypted, the other multiplies, adds a mask and sends back what only
/// the first can open. What is opened less the mask is the sum of products; neither side learns
/// more. Semi-honest: both sides do as they should.
namespace tacet::masked_products {

using ring::Modulus;
using ring::Uint128;

/// Some primes p_0 … p_{c-1} between 2^42 and 2^43, and numbers modulo their product P as residues.
///
/// Words are `uint64_t` or `Uint128`. No branch and no address depends on the numbers.
class CrtBase {
 public:
  explicit CrtBase(std::span<const uint64_t> primes);

  [[nodiscard]] auto n_primes() const -> size_t { return moduli_.size(); }
  [[nodiscard]] auto modulus(size_t i) const -> const Modulus& { return moduli_[i]; }

  /// `numbers` modulo prime `i`.
  template <class Word>
  void reduce(std::span<const Word> numbers, size_t i, uint64_t* residues) const;

  /// The numbers of [0, P) with these residues (a row a prime), modulo 2^(bits of a word). They
  /// must be at least 2^-40 P away from both ends.
  template <class Word>
  void lift(std::span<const uint64_t* const> residues, std::span<Word> numbers) const;

 private:
  /// Residue `i` times (P / p_i)^-1 modulo p_i.
  [[nodiscard]] auto digit(const uint64_t* const* residues, size_t prime, size_t i) const
      -> uint64_t;
  /// digit / p, with 60 bits behind the point.
  [[nodiscard]] auto fraction(uint64_t digit, size_t prime) const -> uint64_t;

  std::vector<Modulus> moduli_;
  std::vector<ring::Factor> inverses_;  ///< (P / p_i)^-1 modulo p_i
  std::vector<uint64_t> reciprocals_;   ///< floor(2^106 / p_i)
  std::vector<Uint128> cofactors_;      ///< P / p_i modulo 2^128
  Uint128 product_ = 1;                 ///< P modulo 2^128
};

}  // namespace tacet::masked_products
