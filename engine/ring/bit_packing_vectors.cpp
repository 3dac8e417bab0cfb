// Packed rows by vectors: eight words are a whole number of bytes, so that the same shuffles of
// bytes serve every eight of them.

#include "engine/ring/bit_packing.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#define TACET_TARGET_PACK_AVX2 __attribute__((target("avx2")))
#define TACET_TARGET_PACK_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

namespace tacet::ring {
namespace {

/// Of eight words, what unpacks two of them that follow one another: where their bytes begin, which
/// of 16 bytes there make the two words of memory, and how far these are to be shifted.
struct PairOfWords {
  size_t begin = 0;
  alignas(16) uint8_t bytes[16] = {};
  alignas(16) uint64_t shifts[2] = {};
};

auto pair_of_words(unsigned first, unsigned bits) -> PairOfWords {
  PairOfWords pair{.begin = first * bits / 8};
  for (unsigned word = 0; word < 2; ++word) {
    const unsigned bit = (first + word) * bits;
    pair.shifts[word] = bit % 8;
    for (unsigned k = 0; k < 8; ++k) {
      const size_t byte = bit / 8 + k - pair.begin;
      pair.bytes[8 * word + k] = static_cast<uint8_t>(byte < 16 ? byte : 0x80);
    }
  }
  return pair;
}

TACET_TARGET_PACK_AVX2 auto load_pair(const void* from) -> __m128i {
  return _mm_load_si128(static_cast<const __m128i*>(from));
}

TACET_TARGET_PACK_AVX2 auto unpack_avx2(const std::byte* in, size_t n, unsigned bits,
                                        uint64_t bound, uint64_t* words) -> uint64_t {
  const PairOfWords pairs[4] = {pair_of_words(0, bits), pair_of_words(2, bits),
                                pair_of_words(4, bits), pair_of_words(6, bits)};
  const __m256i mask = _mm256_set1_epi64x(static_cast<long long>((uint64_t{1} << bits) - 1));
  const __m256i last = _mm256_set1_epi64x(static_cast<long long>(bound - 1));
  __m256i shuffles[2];
  __m256i shifts[2];
  for (size_t half = 0; half < 2; ++half) {
    const PairOfWords& a = pairs[2 * half];
    const PairOfWords& b = pairs[2 * half + 1];
    shuffles[half] = _mm256_set_m128i(load_pair(b.bytes), load_pair(a.bytes));
    shifts[half] = _mm256_set_m128i(load_pair(b.shifts), load_pair(a.shifts));
  }
  __m256i too_large = _mm256_setzero_si256();
  const size_t size = n / 8 * bits;
  size_t i = 0;
  // 16 bytes from the last pair on are read, which may reach behind the end.
  for (; i < n && i / 8 * bits + pairs[3].begin + 16 <= size; i += 8) {
    const std::byte* const from = in + i / 8 * bits;
    for (size_t half = 0; half < 2; ++half) {
      const auto bytes_of = [&](const PairOfWords& pair) __attribute__((target("avx2"))) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + pair.begin));
      };
      __m256i v = _mm256_set_m128i(bytes_of(pairs[2 * half + 1]), bytes_of(pairs[2 * half]));
      v = _mm256_srlv_epi64(_mm256_shuffle_epi8(v, shuffles[half]), shifts[half]);
      v = _mm256_and_si256(v, mask);
      too_large = _mm256_or_si256(too_large, _mm256_sub_epi64(last, v));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(words + i + 4 * half), v);
    }
  }
  // Differences of numbers below 2^57 are negative where the sign bit is set.
  const auto negative = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(too_large)));
  return negative | scalar_packing().unpack(in + i / 8 * bits, n - i, bits, bound, words + i);
}

/// Of eight words whose bits were shifted to where they begin in a byte, what packs every other one
/// of them: which byte goes where, of those that get one.
struct EveryOtherWord {
  alignas(64) uint8_t bytes[64] = {};
  uint64_t filled = 0;
};

auto every_other_word(unsigned first, unsigned bits) -> EveryOtherWord {
  EveryOtherWord made;
  for (unsigned word = first; word < 8; word += 2) {
    const unsigned begin = word * bits / 8;
    const unsigned end = ((word + 1) * bits + 7) / 8;
    for (unsigned byte = begin; byte < end; ++byte) {
      made.bytes[byte] = static_cast<uint8_t>(8 * word + byte - begin);
      made.filled |= uint64_t{1} << byte;
    }
  }
  return made;
}

/// How many groups of eight words there are that a vector of 64 bytes from the group's first byte
/// on lies within the packed bytes.
auto whole_groups(size_t n, unsigned bits) -> size_t {
  const size_t size = n / 8 * bits;
  return size < 64 ? 0 : std::min((size - 64) / bits + 1, n / 8);
}

TACET_TARGET_PACK_AVX512 auto starting_bits(unsigned bits) -> __m512i {
  alignas(64) uint64_t shifts[8];
  for (unsigned i = 0; i < 8; ++i) {
    shifts[i] = i * bits % 8;
  }
  return _mm512_load_si512(shifts);
}

/// Words that have no byte in common with the next but one are placed by a shuffle each for the
/// even and the odd ones. Shorter ones are packed without vectors: no modulus of a ring is as
/// short.
TACET_TARGET_PACK_AVX512 void pack_avx512(const uint64_t* words, size_t n, unsigned bits,
                                          std::byte* out) {
  if (bits < 8) {
    scalar_packing().pack(words, n, bits, out);
    return;
  }
  const EveryOtherWord even = every_other_word(0, bits);
  const EveryOtherWord odd = every_other_word(1, bits);
  const __m512i even_bytes = _mm512_load_si512(even.bytes);
  const __m512i odd_bytes = _mm512_load_si512(odd.bytes);
  const __m512i shifts = starting_bits(bits);
  const auto packed = [&](size_t group) __attribute__((target("avx512f,avx512bw,avx512vbmi"))) {
    const __m512i v = _mm512_sllv_epi64(_mm512_loadu_si512(words + 8 * group), shifts);
    return _mm512_or_si512(_mm512_maskz_permutexvar_epi8(even.filled, even_bytes, v),
                           _mm512_maskz_permutexvar_epi8(odd.filled, odd_bytes, v));
  };
  const size_t n_whole = whole_groups(n, bits);
  size_t group = 0;
  for (; group < n_whole; ++group) {
    _mm512_storeu_si512(out + group * bits, packed(group));
  }
  for (; group < n / 8; ++group) {
    _mm512_mask_storeu_epi8(out + group * bits, (uint64_t{1} << bits) - 1, packed(group));
  }
}

TACET_TARGET_PACK_AVX512 auto unpack_avx512(const std::byte* in, size_t n, unsigned bits,
                                            uint64_t bound, uint64_t* words) -> uint64_t {
  alignas(64) uint8_t positions[64];
  for (unsigned i = 0; i < 64; ++i) {
    positions[i] = static_cast<uint8_t>(i / 8 * bits / 8 + i % 8);
  }
  const __m512i bytes = _mm512_load_si512(positions);
  const __m512i shifts = starting_bits(bits);
  const __m512i mask = _mm512_set1_epi64(static_cast<long long>((uint64_t{1} << bits) - 1));
  const __m512i last = _mm512_set1_epi64(static_cast<long long>(bound - 1));
  __mmask8 too_large = 0;
  const auto unpack = [&](size_t group, __m512i v)
      __attribute__((target("avx512f,avx512bw,avx512vbmi"))) {
    v = _mm512_srlv_epi64(_mm512_permutexvar_epi8(bytes, v), shifts);
    v = _mm512_and_si512(v, mask);
    too_large = static_cast<__mmask8>(too_large | _mm512_cmpgt_epu64_mask(v, last));
    _mm512_storeu_si512(words + 8 * group, v);
  };
  const size_t n_whole = whole_groups(n, bits);
  size_t group = 0;
  for (; group < n_whole; ++group) {
    unpack(group, _mm512_loadu_si512(in + group * bits));
  }
  for (; group < n / 8; ++group) {
    unpack(group, _mm512_maskz_loadu_epi8((uint64_t{1} << bits) - 1, in + group * bits));
  }
  return too_large;
}

}  // namespace

auto avx2_packing() -> const PackingKernels& {
  static const PackingKernels kKernels = {scalar_packing().pack, unpack_avx2};
  return kKernels;
}

auto avx512_packing() -> const PackingKernels& {
  static constexpr PackingKernels kKernels = {pack_avx512, unpack_avx512};
  return kKernels;
}

}  // namespace tacet::ring

#endif
