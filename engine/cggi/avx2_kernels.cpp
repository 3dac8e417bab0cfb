// Kernels for AVX2 with FMA: four doubles a vector.

#include "engine/cggi/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/cggi/rotation_kernels.h"

namespace tacet::cggi {
namespace {

struct Words256 {
  __m256i words;

  static auto set(uint64_t w) -> Words256 {
    return {_mm256_set1_epi64x(static_cast<long long>(w))};
  }
  static auto load(const uint64_t* p) -> Words256 {
    return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p))};
  }
  static auto load_unaligned(const uint64_t* p) -> Words256 {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  static void store(uint64_t* p, Words256 v) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), v.words);
  }
  static void store_unaligned(uint64_t* p, Words256 v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v.words);
  }

  friend auto operator+(Words256 a, Words256 b) -> Words256 {
    return {_mm256_add_epi64(a.words, b.words)};
  }
  friend auto operator-(Words256 a, Words256 b) -> Words256 {
    return {_mm256_sub_epi64(a.words, b.words)};
  }
  friend auto operator&(Words256 a, Words256 b) -> Words256 {
    return {_mm256_and_si256(a.words, b.words)};
  }
  friend auto operator|(Words256 a, Words256 b) -> Words256 {
    return {_mm256_or_si256(a.words, b.words)};
  }
  friend auto operator^(Words256 a, Words256 b) -> Words256 {
    return {_mm256_xor_si256(a.words, b.words)};
  }
  friend auto shift_right(Words256 a, unsigned n_bits) -> Words256 {
    return {_mm256_srl_epi64(a.words, _mm_cvtsi32_si128(static_cast<int>(n_bits)))};
  }
};

struct Reals256 {
  static constexpr size_t kLanes = 4;
  using Words = Words256;

  __m256d reals;

  static auto zero() -> Reals256 { return {_mm256_setzero_pd()}; }
  static auto set(double x) -> Reals256 { return {_mm256_set1_pd(x)}; }
  static auto load(const double* p) -> Reals256 { return {_mm256_load_pd(p)}; }
  static void store(double* p, Reals256 v) { _mm256_store_pd(p, v.reals); }
  static auto from_bits(Words256 w) -> Reals256 { return {_mm256_castsi256_pd(w.words)}; }

  /// In two halves: there is no conversion to words.
  static auto to_torus(Reals256 v) -> Words256 {
    const __m256d rounding = _mm256_set1_pd(0x1.8p52);  // its last bit is worth one
    const __m256d factor = _mm256_set1_pd(0x1p32);
    const __m256d whole = _mm256_round_pd(v.reals, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256d scaled = _mm256_mul_pd(_mm256_sub_pd(v.reals, whole), factor);
    const __m256d high = _mm256_add_pd(scaled, rounding);
    const __m256d rest = _mm256_sub_pd(scaled, _mm256_sub_pd(high, rounding));
    const __m256d low = _mm256_fmadd_pd(rest, factor, rounding);
    const __m256i low_words =
        _mm256_sub_epi64(_mm256_castpd_si256(low), _mm256_castpd_si256(rounding));
    return {_mm256_add_epi64(_mm256_slli_epi64(_mm256_castpd_si256(high), 32), low_words)};
  }

  static void transpose(Reals256 (&x)[4]) {
    const __m256d a = _mm256_unpacklo_pd(x[0].reals, x[1].reals);
    const __m256d b = _mm256_unpackhi_pd(x[0].reals, x[1].reals);
    const __m256d c = _mm256_unpacklo_pd(x[2].reals, x[3].reals);
    const __m256d d = _mm256_unpackhi_pd(x[2].reals, x[3].reals);
    x[0].reals = _mm256_permute2f128_pd(a, c, 0x20);
    x[1].reals = _mm256_permute2f128_pd(b, d, 0x20);
    x[2].reals = _mm256_permute2f128_pd(a, c, 0x31);
    x[3].reals = _mm256_permute2f128_pd(b, d, 0x31);
  }

  friend auto operator+(Reals256 a, Reals256 b) -> Reals256 {
    return {_mm256_add_pd(a.reals, b.reals)};
  }
  friend auto operator-(Reals256 a, Reals256 b) -> Reals256 {
    return {_mm256_sub_pd(a.reals, b.reals)};
  }
  friend auto operator*(Reals256 a, Reals256 b) -> Reals256 {
    return {_mm256_mul_pd(a.reals, b.reals)};
  }
  friend auto multiply_add(Reals256 a, Reals256 b, Reals256 c) -> Reals256 {
    return {_mm256_fmadd_pd(a.reals, b.reals, c.reals)};
  }
  friend auto multiply_subtract(Reals256 a, Reals256 b, Reals256 c) -> Reals256 {
    return {_mm256_fmsub_pd(a.reals, b.reals, c.reals)};
  }
  friend auto subtract_product(Reals256 a, Reals256 b, Reals256 c) -> Reals256 {
    return {_mm256_fnmadd_pd(b.reals, c.reals, a.reals)};
  }
};

}  // namespace

auto avx2_kernels() -> const Kernels& {
  static constexpr Kernels kTable = kernels_over<Reals256>(Isa::Avx2);
  return kTable;
}

}  // namespace tacet::cggi

#endif
