// Eight counters a vector.

#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/random/counter_rounds.h"

namespace tacet::engine {
namespace {

struct Words512 {
  static constexpr size_t kLanes = 8;
  __m512i words;

  static auto set(uint64_t w) -> Words512 { return {_mm512_set1_epi64(static_cast<long long>(w))}; }
  static auto counters(uint64_t first) -> Words512 {
    return set(first) + Words512{_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)};
  }
  template <int kRotation>
  static auto rotate_left(Words512 a) -> Words512 {
    return {_mm512_rol_epi64(a.words, kRotation)};
  }
  static void store(uint64_t* out, const std::array<Words512, 4>& v) {
    // Words 0 and 1 of the even blocks, and so on; then pairs of pairs.
    const __m512i even01 = _mm512_unpacklo_epi64(v[0].words, v[1].words);
    const __m512i odd01 = _mm512_unpackhi_epi64(v[0].words, v[1].words);
    const __m512i even23 = _mm512_unpacklo_epi64(v[2].words, v[3].words);
    const __m512i odd23 = _mm512_unpackhi_epi64(v[2].words, v[3].words);
    for (int i = 0; i < 4; ++i) {
      const __m512i from = _mm512_set_epi64(2 * i + 9, 2 * i + 8, 2 * i + 1, 2 * i,  //
                                            2 * i + 9, 2 * i + 8, 2 * i + 1, 2 * i);
      const __m512i even = _mm512_permutex2var_epi64(even01, from, even23);
      const __m512i odd = _mm512_permutex2var_epi64(odd01, from, odd23);
      _mm512_storeu_si512(out + 8 * i, _mm512_mask_blend_epi64(0xf0, even, odd));
    }
  }
  friend auto operator+(Words512 a, Words512 b) -> Words512 {
    return {_mm512_add_epi64(a.words, b.words)};
  }
  friend auto operator^(Words512 a, Words512 b) -> Words512 {
    return {_mm512_xor_si512(a.words, b.words)};
  }
};

}  // namespace

void fill_blocks_avx512(const CounterMode& mode, uint64_t first, size_t n_blocks, uint64_t* out) {
  const size_t n = CounterRounds<Words512>(mode).fill_pairs(first, n_blocks, out);
  fill_blocks_scalar(mode, first + n, n_blocks - n, out + 4 * n);
}

}  // namespace tacet::engine

#endif
