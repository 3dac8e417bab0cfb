// Four counters a vector.

#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/random/counter_rounds.h"

namespace tacet::engine {
namespace {

struct Words256 {
  static constexpr size_t kLanes = 4;
  __m256i words;

  static auto set(uint64_t w) -> Words256 {
    return {_mm256_set1_epi64x(static_cast<long long>(w))};
  }
  static auto counters(uint64_t first) -> Words256 {
    return set(first) + Words256{_mm256_set_epi64x(3, 2, 1, 0)};
  }
  template <int kRotation>
  static auto rotate_left(Words256 a) -> Words256 {
    if constexpr (kRotation % 8 == 0) {  // whole bytes: one instruction
      constexpr int kBytes = kRotation / 8;
      const __m256i from = _mm256_set_epi8(
          at(15, kBytes), at(14, kBytes), at(13, kBytes), at(12, kBytes), at(11, kBytes),
          at(10, kBytes), at(9, kBytes), at(8, kBytes), at(7, kBytes), at(6, kBytes), at(5, kBytes),
          at(4, kBytes), at(3, kBytes), at(2, kBytes), at(1, kBytes), at(0, kBytes), at(15, kBytes),
          at(14, kBytes), at(13, kBytes), at(12, kBytes), at(11, kBytes), at(10, kBytes),
          at(9, kBytes), at(8, kBytes), at(7, kBytes), at(6, kBytes), at(5, kBytes), at(4, kBytes),
          at(3, kBytes), at(2, kBytes), at(1, kBytes), at(0, kBytes));
      return {_mm256_shuffle_epi8(a.words, from)};
    } else {
      return {_mm256_or_si256(_mm256_slli_epi64(a.words, kRotation),
                              _mm256_srli_epi64(a.words, 64 - kRotation))};
    }
  }
  /// Where byte `i` of a lane comes from.
  static constexpr auto at(int i, int bytes) -> char {
    return static_cast<char>(i / 8 * 8 + (i % 8 + 8 - bytes) % 8);
  }
  static void store(uint64_t* out, const std::array<Words256, 4>& v) {
    const __m256i low01 = _mm256_unpacklo_epi64(v[0].words, v[1].words);
    const __m256i high01 = _mm256_unpackhi_epi64(v[0].words, v[1].words);
    const __m256i low23 = _mm256_unpacklo_epi64(v[2].words, v[3].words);
    const __m256i high23 = _mm256_unpackhi_epi64(v[2].words, v[3].words);
    auto* p = reinterpret_cast<__m256i*>(out);
    _mm256_storeu_si256(p, _mm256_permute2x128_si256(low01, low23, 0x20));
    _mm256_storeu_si256(p + 1, _mm256_permute2x128_si256(high01, high23, 0x20));
    _mm256_storeu_si256(p + 2, _mm256_permute2x128_si256(low01, low23, 0x31));
    _mm256_storeu_si256(p + 3, _mm256_permute2x128_si256(high01, high23, 0x31));
  }
  friend auto operator+(Words256 a, Words256 b) -> Words256 {
    return {_mm256_add_epi64(a.words, b.words)};
  }
  friend auto operator^(Words256 a, Words256 b) -> Words256 {
    return {_mm256_xor_si256(a.words, b.words)};
  }
};

}  // namespace

void fill_blocks_avx2(const CounterMode& mode, uint64_t first, size_t n_blocks, uint64_t* out) {
  const size_t n = CounterRounds<Words256>(mode).fill_pairs(first, n_blocks, out);
  fill_blocks_scalar(mode, first + n, n_blocks - n, out + 4 * n);
}

}  // namespace tacet::engine

#endif
