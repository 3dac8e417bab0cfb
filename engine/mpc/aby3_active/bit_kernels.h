#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/mpc/aby3_active/check_loops.h"
#include "engine/mpc/aby3_active/lanes.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/// Private to this folder: checks of conjunctions by wide carry-less products, where the including
/// file is compiled for a processor that has them. Everything is inlined, as in check_kernels.h.
namespace tacet::mpc {

#if defined(__VPCLMULQDQ__) && defined(__AVX512F__)
#define TACET_WIDE_CARRYLESS 1
/// Whether its products are computed eight at a time.
template <class A>
constexpr bool kHasBitLanes = A::kWordElements == 64;

/// Sums of products of polynomials over bits, eight of them: of factors with even numbers and odd
/// ones.
struct BitLanes {
  static constexpr size_t kCount = 8;
  __m512i even = _mm512_setzero_si512();
  __m512i odd = _mm512_setzero_si512();

  TACET_INLINE static auto mask_of(size_t n) -> __mmask8 {
    return static_cast<__mmask8>(n < kCount ? (1U << n) - 1 : 0xFF);
  }
  TACET_INLINE static auto load(const uint64_t* from, __mmask8 mask) -> __m512i {
    return _mm512_maskz_loadu_epi64(mask, from);
  }
  TACET_INLINE static auto fill(uint64_t word) -> __m512i {
    return _mm512_set1_epi64(static_cast<int64_t>(word));
  }
  TACET_INLINE void multiply_add(__m512i x, __m512i y) {
    even = _mm512_xor_si512(even, _mm512_clmulepi64_epi128(x, y, 0x00));
    odd = _mm512_xor_si512(odd, _mm512_clmulepi64_epi128(x, y, 0x11));
  }
  /// Each of them, as `BinaryField::reduced`.
  [[nodiscard]] TACET_INLINE auto reduced() const -> __m512i {
    const __m512i high = _mm512_unpackhi_epi64(even, odd);
    const __m512i over = _mm512_xor_si512(
        _mm512_srli_epi64(high, 60),
        _mm512_xor_si512(_mm512_srli_epi64(high, 61), _mm512_srli_epi64(high, 63)));
    const __m512i folded = _mm512_xor_si512(high, over);
    const __m512i moved = _mm512_xor_si512(
        _mm512_slli_epi64(folded, 1),
        _mm512_xor_si512(_mm512_slli_epi64(folded, 3), _mm512_slli_epi64(folded, 4)));
    return _mm512_xor_si512(_mm512_unpacklo_epi64(even, odd), _mm512_xor_si512(folded, moved));
  }
  [[nodiscard]] TACET_INLINE auto reduced_sum() const -> uint64_t {
    uint64_t words[kCount];
    _mm512_storeu_si512(words, reduced());
    uint64_t sum = 0;
    for (const uint64_t word : words) {
      sum ^= word;
    }
    return sum;
  }
};

/// What a party can compute of x_i y_i, from both parts of each.
TACET_INLINE auto local_conjunctions(__m512i x0, __m512i x1, __m512i y0, __m512i y1) -> __m512i {
  return _mm512_xor_si512(_mm512_and_si512(x0, _mm512_xor_si512(y0, y1)), _mm512_and_si512(x1, y0));
}

/// Words of a row and of the one `other` words later, or of the row alone if that is 0.
TACET_INLINE auto sum_of_rows(const uint64_t* row, size_t other, __mmask8 mask) -> __m512i {
  const __m512i words = BitLanes::load(row, mask);
  return other == 0 ? words : _mm512_xor_si512(words, BitLanes::load(row + other, mask));
}

TACET_INLINE auto weigh_conjunctions(const PartsOf<uint64_t>& x, const PartsOf<uint64_t>& y,
                                     size_t columns, size_t other, const uint64_t* weights)
    -> uint64_t {
  BitLanes sum;
  for (size_t b = 0; b < columns; b += BitLanes::kCount) {
    const __mmask8 mask = BitLanes::mask_of(columns - b);
    sum.multiply_add(local_conjunctions(sum_of_rows(x.first + b, other, mask),
                                        sum_of_rows(x.second + b, other, mask),
                                        sum_of_rows(y.first + b, other, mask),
                                        sum_of_rows(y.second + b, other, mask)),
                     BitLanes::load(weights + b, mask));
  }
  return sum.reduced_sum();
}

TACET_INLINE void multiply_rows_of_bits(const Block<BinaryField<64>>& block, uint64_t* out) {
  for (size_t c = 0; c < block.rows; ++c) {
    for (size_t a = 0; a <= c; ++a) {
      const size_t row = a * block.columns;
      out[pair_index(a, c)] = weigh_conjunctions(
          {block.x.first + row, block.x.second + row}, {block.y.first + row, block.y.second + row},
          block.columns, (c - a) * block.columns, block.weights);
    }
  }
}

TACET_INLINE auto weigh_bits(const uint64_t* x, size_t n, const uint64_t* weights) -> uint64_t {
  BitLanes sum;
  for (size_t i = 0; i < n; i += BitLanes::kCount) {
    const __mmask8 mask = BitLanes::mask_of(n - i);
    sum.multiply_add(BitLanes::load(x + i, mask), BitLanes::load(weights + i, mask));
  }
  return sum.reduced_sum();
}

TACET_INLINE auto local_dot_of_bits(PartsOf<uint64_t> x, PartsOf<uint64_t> y, size_t n)
    -> uint64_t {
  BitLanes sum;
  for (size_t i = 0; i < n; i += BitLanes::kCount) {
    const __mmask8 mask = BitLanes::mask_of(n - i);
    const __m512i first = BitLanes::load(y.first + i, mask);
    const __m512i both = _mm512_xor_si512(first, BitLanes::load(y.second + i, mask));
    sum.multiply_add(BitLanes::load(x.first + i, mask), both);
    sum.multiply_add(BitLanes::load(x.second + i, mask), first);
  }
  return sum.reduced_sum();
}
#endif

}  // namespace tacet::mpc
