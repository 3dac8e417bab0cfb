// Kernels for AVX-512: eight doubles a vector.

#include "engine/cggi/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/cggi/rotation_kernels.h"

namespace tacet::cggi {
namespace {

struct Words512 {
  __m512i words;

  static auto set(uint64_t w) -> Words512 { return {_mm512_set1_epi64(static_cast<long long>(w))}; }
  static auto load(const uint64_t* p) -> Words512 { return {_mm512_load_si512(p)}; }
  static auto load_unaligned(const uint64_t* p) -> Words512 { return {_mm512_loadu_si512(p)}; }
  static void store(uint64_t* p, Words512 v) { _mm512_store_si512(p, v.words); }
  static void store_unaligned(uint64_t* p, Words512 v) { _mm512_storeu_si512(p, v.words); }

  friend auto operator+(Words512 a, Words512 b) -> Words512 {
    return {_mm512_add_epi64(a.words, b.words)};
  }
  friend auto operator-(Words512 a, Words512 b) -> Words512 {
    return {_mm512_sub_epi64(a.words, b.words)};
  }
  friend auto operator&(Words512 a, Words512 b) -> Words512 {
    return {_mm512_and_si512(a.words, b.words)};
  }
  friend auto operator|(Words512 a, Words512 b) -> Words512 {
    return {_mm512_or_si512(a.words, b.words)};
  }
  friend auto operator^(Words512 a, Words512 b) -> Words512 {
    return {_mm512_xor_si512(a.words, b.words)};
  }
  friend auto shift_right(Words512 a, unsigned n_bits) -> Words512 {
    return {_mm512_srl_epi64(a.words, _mm_cvtsi32_si128(static_cast<int>(n_bits)))};
  }
};

struct Reals512 {
  static constexpr size_t kLanes = 8;
  using Words = Words512;

  __m512d reals;

  static auto zero() -> Reals512 { return {_mm512_setzero_pd()}; }
  static auto set(double x) -> Reals512 { return {_mm512_set1_pd(x)}; }
  static auto load(const double* p) -> Reals512 { return {_mm512_load_pd(p)}; }
  static void store(double* p, Reals512 v) { _mm512_store_pd(p, v.reals); }
  static auto from_bits(Words512 w) -> Reals512 { return {_mm512_castsi512_pd(w.words)}; }

  /// One half of the torus becomes the smallest word, which is the same modulo 2^64.
  static auto to_torus(Reals512 v) -> Words512 {
    const __m512d fraction = _mm512_reduce_pd(v.reals, 0);
    return {_mm512_cvtpd_epi64(_mm512_mul_pd(fraction, _mm512_set1_pd(0x1p64)))};
  }

  static void transpose(Reals512 (&x)[8]) {
    __m512d pairs[8];
    for (int j = 0; j < 8; j += 2) {
      pairs[j] = _mm512_unpacklo_pd(x[j].reals, x[j + 1].reals);
      pairs[j + 1] = _mm512_unpackhi_pd(x[j].reals, x[j + 1].reals);
    }
    for (int j = 0; j < 2; ++j) {
      const __m512d a = _mm512_shuffle_f64x2(pairs[j], pairs[j + 2], 0x88);
      const __m512d b = _mm512_shuffle_f64x2(pairs[j], pairs[j + 2], 0xdd);
      const __m512d c = _mm512_shuffle_f64x2(pairs[j + 4], pairs[j + 6], 0x88);
      const __m512d d = _mm512_shuffle_f64x2(pairs[j + 4], pairs[j + 6], 0xdd);
      x[j].reals = _mm512_shuffle_f64x2(a, c, 0x88);
      x[j + 2].reals = _mm512_shuffle_f64x2(b, d, 0x88);
      x[j + 4].reals = _mm512_shuffle_f64x2(a, c, 0xdd);
      x[j + 6].reals = _mm512_shuffle_f64x2(b, d, 0xdd);
    }
  }

  friend auto operator+(Reals512 a, Reals512 b) -> Reals512 {
    return {_mm512_add_pd(a.reals, b.reals)};
  }
  friend auto operator-(Reals512 a, Reals512 b) -> Reals512 {
    return {_mm512_sub_pd(a.reals, b.reals)};
  }
  friend auto operator*(Reals512 a, Reals512 b) -> Reals512 {
    return {_mm512_mul_pd(a.reals, b.reals)};
  }
  friend auto multiply_add(Reals512 a, Reals512 b, Reals512 c) -> Reals512 {
    return {_mm512_fmadd_pd(a.reals, b.reals, c.reals)};
  }
  friend auto multiply_subtract(Reals512 a, Reals512 b, Reals512 c) -> Reals512 {
    return {_mm512_fmsub_pd(a.reals, b.reals, c.reals)};
  }
  friend auto subtract_product(Reals512 a, Reals512 b, Reals512 c) -> Reals512 {
    return {_mm512_fnmadd_pd(b.reals, c.reals, a.reals)};
  }
};

}  // namespace

auto avx512_kernels() -> const Kernels& {
  static constexpr Kernels kTable = kernels_over<Reals512>(Isa::Avx512Ifma);
  return kTable;
}

}  // namespace tacet::cggi

#endif
