#include "engine/secure_random/sample_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <bit>

#define TACET_TARGET_AVX2 __attribute__((target("avx2,bmi2,popcnt")))

namespace tacet::secure_random {
namespace {

TACET_TARGET_AVX2 auto load(const void* from) -> __m256i {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

TACET_TARGET_AVX2 void store(void* to, __m256i vector) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), vector);
}

// The sixteen bytes given, in both halves: what a shuffle looks half bytes up in.
TACET_TARGET_AVX2 auto table(__m128i half) -> __m256i {
  return _mm256_broadcastsi128_si256(half);
}

TACET_TARGET_AVX2 auto low_nibbles(__m256i bytes) -> __m256i {
  return _mm256_and_si256(bytes, _mm256_set1_epi8(0x0f));
}

TACET_TARGET_AVX2 auto high_nibbles(__m256i bytes) -> __m256i {
  return low_nibbles(_mm256_srli_epi16(bytes, 4));
}

TACET_TARGET_AVX2 auto ternary(const std::byte* bytes, int8_t* out) -> uint64_t {
  const __m256i mod3_less_1 =
      table(_mm_setr_epi8(-1, 0, 1, -1, 0, 1, -1, 0, 1, -1, 0, 1, -1, 0, 1, -1));
  uint64_t rejected = 0;
  for (size_t i = 0; i < kTernaryBlock; i += 32) {
    __m256i v = load(bytes + i);
    // 16 is 1 modulo 3: half bytes can be summed, once to at most 30, twice to at most 15.
    __m256i sum = _mm256_add_epi8(low_nibbles(v), high_nibbles(v));
    sum = _mm256_add_epi8(low_nibbles(sum), high_nibbles(sum));
    store(out + i, _mm256_shuffle_epi8(mod3_less_1, sum));
    __m256i is_255 = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(-1));
    rejected |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(is_255))} << i;
  }
  return rejected;
}

TACET_TARGET_AVX2 void binomial(const std::byte* bytes, int8_t* out) {
  const __m256i ones_of_nibble =
      table(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const __m256i pairs = load(bytes + 5 * kBinomialBlock);
  for (size_t i = 0; i < kBinomialBlock; i += 32) {
    __m256i sum = _mm256_set1_epi8(-21);
    for (size_t plane = 0; plane < 5; ++plane) {
      __m256i v = load(bytes + plane * kBinomialBlock + i);
      sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(ones_of_nibble, low_nibbles(v)));
      sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(ones_of_nibble, high_nibbles(v)));
    }
    __m256i pair = _mm256_srl_epi16(pairs, _mm_cvtsi32_si128(static_cast<int>(i / 16)));
    pair = _mm256_and_si256(pair, _mm256_set1_epi8(3));
    store(out + i, _mm256_add_epi8(sum, _mm256_shuffle_epi8(ones_of_nibble, pair)));
  }
}

TACET_TARGET_AVX2 auto mask_and_compare(uint64_t* words, uint64_t mask, uint64_t modulus)
    -> uint64_t {
  const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(mask));
  const __m256i moduli = _mm256_set1_epi64x(static_cast<long long>(modulus));
  uint64_t accepted = 0;
  for (size_t i = 0; i < kUniformBlock; i += 4) {
    __m256i v = _mm256_and_si256(load(words + i), masks);
    store(words + i, v);
    __m256i below = _mm256_cmpgt_epi64(moduli, v);
    accepted |= uint64_t(static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(below))))
                << i;
  }
  return accepted;
}

// For each set of four words: which 32-bit halves go first.
constexpr auto compacting_permutations() -> std::array<std::array<int32_t, 8>, 16> {
  std::array<std::array<int32_t, 8>, 16> tables{};
  for (size_t set = 0; set < 16; ++set) {
    size_t n = 0;
    for (int32_t word = 0; word < 4; ++word) {
      if ((set >> word & 1) != 0) {
        tables[set][n++] = 2 * word;
        tables[set][n++] = 2 * word + 1;
      }
    }
  }
  return tables;
}

constexpr auto kCompactingPermutations = compacting_permutations();

// Four words are stored where fewer may count. Those behind are overwritten by the next, and lie
// before what is yet to be read, as `out` lies before `words`.
TACET_TARGET_AVX2 auto compact(const uint64_t* words, uint64_t accepted, uint64_t* out) -> size_t {
  uint64_t* end = out;
  for (size_t i = 0; i < kUniformBlock; i += 4, accepted >>= 4) {
    __m256i permutation = load(kCompactingPermutations[accepted & 15].data());
    store(end, _mm256_permutevar8x32_epi32(load(words + i), permutation));
    end += std::popcount(accepted & 15);
  }
  return static_cast<size_t>(end - out);
}

TACET_TARGET_AVX2 void lift(const int8_t* values, size_t n, uint64_t modulus, uint64_t* out) {
  const __m256i moduli = _mm256_set1_epi64x(static_cast<long long>(modulus));
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    __m256i v = _mm256_cvtepi8_epi64(_mm_loadu_si32(values + i));
    __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), v);
    store(out + i, _mm256_add_epi64(v, _mm256_and_si256(moduli, negative)));
  }
  scalar_sample_kernels().lift(values + i, n - i, modulus, out + i);
}

constexpr SampleKernels kKernels = {ternary, binomial, mask_and_compare, compact, lift};

}  // namespace

auto avx2_sample_kernels() -> const SampleKernels& {
  return kKernels;
}

}  // namespace tacet::secure_random

#else

namespace tacet::secure_random {

auto avx2_sample_kernels() -> const SampleKernels& {
  return scalar_sample_kernels();
}

}  // namespace tacet::secure_random

#endif
