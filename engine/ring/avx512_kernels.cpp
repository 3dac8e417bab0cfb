// Kernels for AVX-512 with IFMA: eight residues a vector, the multiply-add of 52-bit words.

#include "engine/ring/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/ring/ifma_kernels.h"

namespace tacet::ring {
namespace {

struct Words512 {
  static constexpr size_t kUnrolledTerms = 10;

  __m512i words;

  static auto set(uint64_t w) -> Words512 { return {_mm512_set1_epi64(static_cast<long long>(w))}; }
  static auto load(const uint64_t* p) -> Words512 { return {_mm512_load_si512(p)}; }
  static void store(uint64_t* p, Words512 v) { _mm512_store_si512(p, v.words); }

  template <unsigned kBits>
  static auto shift_right(Words512 a) -> Words512 {
    return {_mm512_srli_epi64(a.words, kBits)};
  }

  static auto rounded_sum(const uint64_t* const* a, const double* inverses, size_t n_terms,
                          size_t i) -> Words512 {
    __m512d sum = _mm512_setzero_pd();
    for (size_t k = 0; k < n_terms; ++k) {
      const __m512d term = _mm512_cvtepu64_pd(load(a[k] + i).words);
      sum = _mm512_add_pd(sum, _mm512_mul_pd(term, _mm512_set1_pd(inverses[k])));
    }
    return {_mm512_cvt_roundpd_epu64(sum, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
  }

  friend auto operator+(Words512 a, Words512 b) -> Words512 {
    return {_mm512_add_epi64(a.words, b.words)};
  }
  friend auto operator-(Words512 a, Words512 b) -> Words512 {
    return {_mm512_sub_epi64(a.words, b.words)};
  }
  friend auto operator&(Words512 a, Words512 b) -> Words512 {
    return {_mm512_and_si512(a.words, b.words)};
  }
  friend auto min(Words512 a, Words512 b) -> Words512 {
    return {_mm512_min_epu64(a.words, b.words)};
  }
  friend auto add_low(Words512 c, Words512 a, Words512 b) -> Words512 {
    return {_mm512_madd52lo_epu64(c.words, a.words, b.words)};
  }
  friend auto add_high(Words512 c, Words512 a, Words512 b) -> Words512 {
    return {_mm512_madd52hi_epu64(c.words, a.words, b.words)};
  }
  friend auto pick(Words512 a, Words512 index) -> Words512 {
    return {_mm512_permutexvar_epi64(index.words, a.words)};
  }
  friend auto even_words(Words512 a, Words512 b) -> Words512 {
    return {_mm512_unpacklo_epi64(a.words, b.words)};
  }
  friend auto odd_words(Words512 a, Words512 b) -> Words512 {
    return {_mm512_unpackhi_epi64(a.words, b.words)};
  }
  friend auto even_pairs(Words512 a, Words512 b) -> Words512 {
    return {_mm512_shuffle_i64x2(a.words, b.words, 0x88)};
  }
  friend auto odd_pairs(Words512 a, Words512 b) -> Words512 {
    return {_mm512_shuffle_i64x2(a.words, b.words, 0xdd)};
  }
};

}  // namespace

auto avx512_kernels() -> const Kernels& {
  return IfmaKernels<Words512>::kTable;
}

}  // namespace tacet::ring

#endif
