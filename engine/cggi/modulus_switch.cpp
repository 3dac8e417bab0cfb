#include "engine/cggi/modulus_switch.h"

#include <bit>

namespace tacet::cggi {

void switch_modulus(std::span<const uint32_t> ciphertext, unsigned polynomial_size,
                    unsigned log2_tables, SwitchedCiphertext& out) {
  const auto log2_positions =
      static_cast<unsigned>(std::countr_zero(polynomial_size)) + 1 - log2_tables;
  const unsigned n_dropped = kLog2SwitchedModulus - log2_positions;
  const uint32_t positions = uint32_t{1} << log2_positions;
  const uint32_t half = uint32_t{1} << (n_dropped - 1);
  const size_t n = ciphertext.size() - 1;
  out.mask.resize(n);
  int64_t doubled_correction = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto rounded = static_cast<uint32_t>((uint64_t{ciphertext[i]} + half) >> n_dropped);
    // Modulo 2^32 the difference is the error of rounding, as a signed word.
    doubled_correction += static_cast<int32_t>((rounded << n_dropped) - ciphertext[i]);
    out.mask[i] = (rounded & (positions - 1)) << log2_tables;
  }
  // One more bit than words have, so that halves are not lost.
  const uint64_t body = 2 * uint64_t{ciphertext[n]} + static_cast<uint64_t>(doubled_correction);
  out.body = static_cast<uint32_t>((body >> (n_dropped + 1)) & (positions - 1)) << log2_tables;
}

}  // namespace tacet::cggi
