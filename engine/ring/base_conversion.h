#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ring/kernels.h"

namespace tacet::ring {

/// Carries numbers given by their residues modulo the primes q_i of one base over to other primes,
/// without arithmetic on numbers longer than a word.
///
/// With Q the product of the q_i and y_i = [x (Q / q_i)^-1] mod q_i, x is the sum of the
/// y_i Q / q_i less v Q; v is the sum of the y_i / q_i, rounded, computed in doubles (Halevi,
/// Polyakov and Shoup, "An Improved RNS Variant of the BFV Homomorphic Encryption Scheme",
/// section 2.2). So the representative of x in [-Q/2, Q/2] is what is converted; for numbers closer
/// to Q/2 than Q 2^-48, it may be the one of the other sign. From a single prime no sum is needed.
class BaseConversion {
 public:
  /// Factors of x during conversion: modulo Q before its representative is taken, given by residues
  /// modulo the q_i, and modulo each target afterwards. Nothing stands for 1.
  struct Factors {
    std::vector<uint64_t> before;
    std::vector<uint64_t> after;
  };

  BaseConversion(std::span<const Modulus> from, std::span<const Modulus> to,
                 const Factors& factors = {});

  [[nodiscard]] auto n_from() const -> size_t { return from_.size(); }
  [[nodiscard]] auto n_to() const -> size_t { return to_.size(); }

  /// What all conversions of one x share: writes y_0 … y_{k-1} and v into the n_from() + 1 rows
  /// `terms`; `x` are the residues' rows, not transformed, which may be the first of `terms`. All
  /// rows have `n` words, and may be pieces of longer ones. From one prime there is no v, and its
  /// row may be null. O(k n).
  void prepare(const Kernels& kernels, std::span<const uint64_t* const> x,
               std::span<uint64_t* const> terms, size_t n) const;

  /// Writes the residues modulo prime `to` into `out`. O(k n).
  void convert(const Kernels& kernels, std::span<uint64_t* const> terms, size_t to, uint64_t* out,
               size_t n) const;

 private:
  std::vector<Modulus> from_;
  std::vector<Modulus> to_;
  std::vector<uint64_t> scales_;  ///< (Q / q_i)^-1 modulo q_i, and the factor before
  std::vector<double> inverses_;  ///< 1 / q_i
  std::vector<uint64_t>
      constants_;  ///< a row a target: the Q / q_i, and -Q, times the factor after
};

/// The product of `primes` modulo `q`.
auto product_modulo(std::span<const Modulus> primes, const Modulus& q) -> uint64_t;

}  // namespace tacet::ring
