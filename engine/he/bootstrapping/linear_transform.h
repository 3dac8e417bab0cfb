#pragma once

#include "base/result.h"
#include "engine/he/bootstrapping/extended.h"
#include "engine/he/bootstrapping/slot_transforms.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"

namespace tacet::he {

/// The Galois elements of the rotations that a matrix with these diagonals takes.
auto transform_elements(const Context& context, const std::vector<size_t>& diagonals)
    -> std::vector<uint64_t>;

/// Multiplies the slots of ciphertexts by a matrix, of which all is encoded before.
///
/// With diagonals g + b, g multiples of so many as there are b: the sum over g of the rotations by
/// g of the sums over b of a diagonal times a rotation by b ("baby steps and giant steps"), where
/// the rotations by b share the digits of their operand. What keys are multiplied by is divided by
/// the special primes once for each g, and once in the end (`ExtendedCiphertext`).
class LinearTransform {
 public:
  /// For ciphertexts that are brought to `n_primes` primes first; results have one fewer, and the
  /// operand's scale times `scale` divided by the last prime.
  static auto make(const Context& context, const DiagonalMatrix& matrix, size_t n_primes,
                   double scale) -> Result<LinearTransform>;

  /// With the keys of `transform_elements`. O(√d r) where a rotation takes r, and d k n, d the
  /// number of diagonals, k of primes.
  auto apply(const Context& context, Ciphertext a, const RotationKeys& keys) const
      -> Result<Ciphertext>;

 private:
  struct Term {
    size_t baby = 0;  ///< its place in `babies_`
    Rows diagonal;    ///< modulo special primes too
  };
  struct Giant {
    uint64_t galois_element = 1;
    std::vector<Term> terms;
  };

  [[nodiscard]] auto sums_of(const Context& context,
                             const std::vector<ExtendedCiphertext>& rotated) const
      -> std::vector<ExtendedCiphertext>;

  size_t n_primes_ = 0;
  double scale_ = 1;
  std::vector<uint64_t> babies_;  ///< Galois elements
  std::vector<Giant> giants_;
};

}  // namespace tacet::he
