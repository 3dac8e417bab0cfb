#include "engine/ring/automorphism.h"

#include <bit>

#include "base/check.h"
#include "engine/ring/ntt_tables.h"

namespace tacet::ring {

Automorphism::Automorphism(size_t dimension, uint64_t galois_element)
    : galois_element_(galois_element), sources_(dimension) {
  TACET_CHECK(galois_element % 2 == 1 && galois_element < 2 * dimension,
              "a Galois element is odd and below 2N");
  const auto log_n = static_cast<unsigned>(std::countr_zero(dimension));
  // Position k holds the value at ψ^(2 r(k) + 1), so a(X^g) has there what a has at the g-th power
  // of that.
  for (size_t k = 0; k < dimension; ++k) {
    const uint64_t exponent =
        (2 * reverse_bits(k, log_n) + 1) * galois_element & (2 * dimension - 1);
    sources_[k] = static_cast<uint32_t>(reverse_bits(exponent / 2, log_n));
  }
}

auto galois_element_of_rotation(size_t dimension, int64_t steps) -> uint64_t {
  const uint64_t mask = 2 * dimension - 1;
  // 5 has order N/2.
  auto exponent = static_cast<uint64_t>(steps) & (dimension / 2 - 1);
  uint64_t element = 1;
  for (uint64_t power = 5; exponent != 0; exponent >>= 1, power = power * power & mask) {
    if ((exponent & 1) != 0) {
      element = element * power & mask;
    }
  }
  return element;
}

auto inverse_galois_element(size_t dimension, uint64_t galois_element) -> uint64_t {
  // Newton's iteration doubles the correct bits, of which an odd number has three.
  uint64_t inverse = galois_element;
  for (int i = 0; i < 5; ++i) {
    inverse *= 2 - galois_element * inverse;
  }
  return inverse & (2 * dimension - 1);
}

}  // namespace tacet::ring
