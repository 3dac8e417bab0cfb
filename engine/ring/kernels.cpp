#include "engine/ring/kernels.h"

namespace tacet::ring {

/// For all kernels that cannot permute a vector by another.
void permute_words(uint64_t* out, const uint64_t* in, const BlockPermutation& permutation) {
  for (const uint32_t source : permutation.sources) {
    const uint64_t* block = in + source / 8 * 8;
    const uint64_t* order = permutation.orders[source % 8];
    for (size_t j = 0; j < 8; ++j) {
      out[j] = block[order[j]];
    }
    out += 8;
  }
}

auto kernels_for(Isa isa) -> const Kernels& {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::Scalar:
      return scalar_kernels();
    case Isa::Avx2:
      return avx2_kernels();
    case Isa::Avx512Ifma:
      return avx512_kernels();
  }
#endif
  (void)isa;
  return scalar_kernels();
}

}  // namespace tacet::ring
