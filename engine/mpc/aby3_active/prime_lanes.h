#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/mpc/aby3_active/prime_field.h"

#if defined(__AVX512IFMA__)
#include <immintrin.h>
#endif

/// Private to this folder: eight elements of a prime field in a vector, where the including file is
/// compiled for products of 52 bits. Everything is inlined, as in check_kernels.h.
namespace tacet::mpc {

#if defined(__AVX512IFMA__)
#define TACET_PRIME_LANES 1
#define TACET_LANE_INLINE [[gnu::always_inline]]

/// A sum of products, low + 2^52 high in each lane.
struct PrimeLanes {
  static constexpr size_t kCount = 8;
  __m512i low = _mm512_setzero_si512();
  __m512i high = _mm512_setzero_si512();

  TACET_LANE_INLINE static auto mask_of(size_t n) -> __mmask8 {
    return static_cast<__mmask8>(n < kCount ? (1U << n) - 1 : 0xFF);
  }
  TACET_LANE_INLINE static auto load(const uint64_t* from, __mmask8 mask) -> __m512i {
    return _mm512_maskz_loadu_epi64(mask, from);
  }
  TACET_LANE_INLINE static void store(uint64_t* to, __mmask8 mask, __m512i x) {
    _mm512_mask_storeu_epi64(to, mask, x);
  }
  TACET_LANE_INLINE static auto fill(uint64_t x) -> __m512i {
    return _mm512_set1_epi64(static_cast<int64_t>(x));
  }
  TACET_LANE_INLINE void multiply_add(__m512i x, __m512i y) {
    low = _mm512_madd52lo_epu64(low, x, y);
    high = _mm512_madd52hi_epu64(high, x, y);
  }
  /// All eight.
  [[nodiscard]] TACET_LANE_INLINE auto sum() const -> Word128 {
    return static_cast<uint64_t>(_mm512_reduce_add_epi64(low)) +
           (Word128{static_cast<uint64_t>(_mm512_reduce_add_epi64(high))} << PrimeField::kShift);
  }
};

/// The modulus in all lanes.
struct LaneField {
  __m512i p;
  __m512i negated_inverse;
  __m512i reciprocal;  ///< 2^102 / p, rounded down

  TACET_LANE_INLINE explicit LaneField(const PrimeField& field)
      : p(PrimeLanes::fill(field.modulus())),
        negated_inverse(PrimeLanes::fill(field.negated_inverse())),
        reciprocal(PrimeLanes::fill(static_cast<uint64_t>((Word128{1} << 102) / field.modulus()))) {
  }

  /// x < 2^i p below p.
  template <unsigned kI>
  [[nodiscard]] TACET_LANE_INLINE auto below_p(__m512i x) const -> __m512i {
    for (unsigned i = kI; i-- > 0;) {
      x = _mm512_min_epu64(x, _mm512_sub_epi64(x, _mm512_slli_epi64(p, i)));
    }
    return x;
  }
  /// A sum over 2^52, below (its size) / 2^52 + p.
  [[nodiscard]] TACET_LANE_INLINE auto divided(const PrimeLanes& sum) const -> __m512i {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i q = _mm512_madd52lo_epu64(zero, sum.low, negated_inverse);
    const __m512i kept = _mm512_madd52lo_epu64(sum.low, q, p);
    return _mm512_madd52hi_epu64(_mm512_add_epi64(sum.high, _mm512_srli_epi64(kept, 52)), q, p);
  }
  [[nodiscard]] TACET_LANE_INLINE auto times(__m512i weight, __m512i x) const -> __m512i {
    PrimeLanes product;
    product.multiply_add(weight, x);
    return below_p<1>(divided(product));
  }
  /// Any word modulo p: its quotient is one too small at most.
  [[nodiscard]] TACET_LANE_INLINE auto reduced(__m512i x) const -> __m512i {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i q =
        _mm512_srli_epi64(_mm512_madd52hi_epu64(zero, _mm512_srli_epi64(x, 12), reciprocal), 38);
    const __m512i rest = _mm512_sub_epi64(x, _mm512_madd52lo_epu64(zero, q, p));
    return below_p<1>(_mm512_and_si512(rest, PrimeLanes::fill(PrimeField::kMask)));
  }
};

#undef TACET_LANE_INLINE
#endif

}  // namespace tacet::mpc
