#include "engine/ring/automorphism.h"

#include <bit>

#include "base/check.h"
#include "engine/ring/ntt_tables.h"

namespace tacet::ring {

/// Position k holds the value at ψ^(2 r(k) + 1), so a(X^g) has there what a has at the g-th power
/// of that. With k = 8 b + j that exponent is 2 r(b) + 1, below N/4, and r(j) times N/4: what g
/// makes of the first says which block the values come from, and a number c to be added to the
/// multiples of N/4, which are g r(j).
Automorphism::Automorphism(size_t dimension, uint64_t galois_element)
    : galois_element_(galois_element) {
  TACET_CHECK(galois_element % 2 == 1 && galois_element < 2 * dimension,
              "a Galois element is odd and below 2N");
  const size_t n_blocks = dimension / 8;
  const auto log_n_blocks = static_cast<unsigned>(std::countr_zero(n_blocks));
  permutation_.sources.resize(n_blocks);
  for (size_t b = 0; b < n_blocks; ++b) {
    const uint64_t power = (2 * reverse_bits(b, log_n_blocks) + 1) * galois_element;
    const uint64_t multiple = power / (2 * n_blocks) % 8;
    const uint64_t source = reverse_bits(power % (2 * n_blocks) / 2, log_n_blocks);
    permutation_.sources[b] = static_cast<uint32_t>(8 * source + multiple);
  }
  for (uint64_t c = 0; c < 8; ++c) {
    for (uint64_t j = 0; j < 8; ++j) {
      permutation_.orders[c][j] = reverse_bits((reverse_bits(j, 3) * galois_element + c) % 8, 3);
    }
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
