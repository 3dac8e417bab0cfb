#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/ring/kernels.h"

namespace tacet::ring {

/// The automorphism X -> X^g of Z_q[X]/(X^N + 1), g odd, on transformed polynomials: there it is
/// the same permutation for every prime, and takes every block of eight words from one block.
class Automorphism {
 public:
  Automorphism(size_t dimension, uint64_t galois_element);

  [[nodiscard]] auto galois_element() const -> uint64_t { return galois_element_; }

  /// `out` must not be `in`. O(n).
  void apply(const Kernels& kernels, uint64_t* out, const uint64_t* in) const {
    kernels.permute(out, in, permutation_);
  }

 private:
  uint64_t galois_element_;
  BlockPermutation permutation_;
};

/// 5^steps modulo 2N for a signed number of steps: the automorphism that rotates slots.
auto galois_element_of_rotation(size_t dimension, int64_t steps) -> uint64_t;

/// The element whose automorphism undoes that of `galois_element`.
auto inverse_galois_element(size_t dimension, uint64_t galois_element) -> uint64_t;

}  // namespace tacet::ring
