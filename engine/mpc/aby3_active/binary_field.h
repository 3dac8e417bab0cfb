#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__PCLMUL__)
#include <immintrin.h>
#endif

namespace tacet::mpc {

/// The field of 2^W elements, X^W + X^4 + X^3 + X + 1 = 0, for W = 8 and W = 64: what challenges
/// for claims about bits are drawn from. W bits of secrets in a word are an element as well, the
/// sum of bit i times X^i; so different words are different elements.
template <unsigned W>
struct BinaryField {
  static_assert(W == 8 || W == 64, "the polynomial is irreducible for these");
  using Word = uint64_t;
  using Weight = uint64_t;
  using Element = uint64_t;
  struct Wide {
    uint64_t low = 0;
    uint64_t high = 0;
  };

  static constexpr unsigned kDegree = W;
  static constexpr size_t kWordElements = W;
  static constexpr uint64_t kMask = W == 64 ? ~uint64_t{0} : (uint64_t{1} << W % 64) - 1;

  [[gnu::always_inline]] static constexpr auto weight(uint64_t bits) -> Weight {
    return bits & kMask;
  }
  [[gnu::always_inline]] static constexpr auto plus(uint64_t x, uint64_t y) -> uint64_t {
    return x ^ y;
  }
  /// Makes an element of uniform bytes.
  [[gnu::always_inline]] static constexpr void clean(Element& x) { x &= kMask; }
  [[gnu::always_inline]] static constexpr void add(Element& x, Element y) { x ^= y; }
  [[gnu::always_inline]] static constexpr void subtract(Element& x, Element y) { x ^= y; }

  [[gnu::always_inline]] static void multiply_add(Wide& sum, Element x, Element y) {
#if defined(__PCLMUL__)
    const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(x)),
                                                 _mm_cvtsi64_si128(static_cast<int64_t>(y)), 0);
    sum.low ^= static_cast<uint64_t>(_mm_cvtsi128_si64(product));
    sum.high ^= static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product)));
#else
    for (unsigned i = 0; i < W; ++i) {
      const uint64_t chosen = x & (0 - (y >> i & 1));
      sum.low ^= chosen << i;
      sum.high ^= i == 0 ? 0 : chosen >> (64 - i);
    }
#endif
  }
  [[gnu::always_inline]] static void weigh_add(Wide& sum, Element x, Weight weight) {
    multiply_add(sum, x, weight);
  }

  [[gnu::always_inline]] static constexpr auto reduced(Wide sum) -> Element {
    if constexpr (W < 64) {
      for (unsigned i = 2 * W - 2; i >= W; --i) {
        const uint64_t top = sum.low >> i & 1;
        sum.low ^= (top << i) ^ (top * uint64_t{0x1B} << (i - W));
      }
      return sum.low;
    } else {
      // X^64 = X^4 + X^3 + X + 1, twice: what leaves at the top the first time has 4 bits.
      const uint64_t high = sum.high;
      const uint64_t over = high >> 60 ^ high >> 61 ^ high >> 63;
      const uint64_t folded = high ^ over;
      return sum.low ^ folded ^ folded << 1 ^ folded << 3 ^ folded << 4;
    }
  }
  [[gnu::always_inline]] static constexpr auto times_x(Element x) -> Element {
    return (x << 1 & kMask) ^ ((x >> (W - 1) & 1) != 0 ? 0x1B : 0);
  }
  [[gnu::always_inline]] static constexpr auto local_product(uint64_t x0, uint64_t x1, uint64_t y0,
                                                             uint64_t y1) -> uint64_t {
    return (x0 & (y0 ^ y1)) ^ (x1 & y0);
  }
};

}  // namespace tacet::mpc
