#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet::ring {

/// The automorphism X -> X^g of Z_q[X]/(X^N + 1), g odd, on transformed polynomials: there it is
/// the same permutation for every prime.
class Automorphism {
 public:
  Automorphism(size_t dimension, uint64_t galois_element);

  [[nodiscard]] auto galois_element() const -> uint64_t { return galois_element_; }

  /// `out` must not be `in`. O(n).
  void apply(uint64_t* out, const uint64_t* in) const {
    for (size_t i = 0; i < sources_.size(); ++i) {
      out[i] = in[sources_[i]];
    }
  }

 private:
  uint64_t galois_element_;
  std::vector<uint32_t> sources_;
};

/// 5^steps modulo 2N for a signed number of steps: the automorphism that rotates slots.
auto galois_element_of_rotation(size_t dimension, int64_t steps) -> uint64_t;

/// The element whose automorphism undoes that of `galois_element`.
auto inverse_galois_element(size_t dimension, uint64_t galois_element) -> uint64_t;

}  // namespace tacet::ring
