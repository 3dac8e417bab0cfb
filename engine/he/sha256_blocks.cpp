#include "engine/he/sha256_blocks.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define TACET_TARGET_SHA __attribute__((target("sha,sse4.1,ssse3")))

namespace tacet::he {
namespace {

alignas(16) constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// The words of a hash as the instructions for rounds take them.
struct RoundWords {
  __m128i abef;
  __m128i cdgh;
};

TACET_TARGET_SHA auto to_round_words(const Sha256Words& hash) -> RoundWords {
  const auto* const words = reinterpret_cast<const __m128i*>(hash.data());
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  return {_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)};
}

TACET_TARGET_SHA void from_round_words(const RoundWords& rounds, Sha256Words& hash) {
  const __m128i feba = _mm_shuffle_epi32(rounds.abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(rounds.cdgh, 0xb1);
  auto* const words = reinterpret_cast<__m128i*>(hash.data());
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/// Blocks of several hashes, round by round, so that each has the time that the others take.
template <size_t kHashes>
TACET_TARGET_SHA void compress_all(const std::array<Sha256Words*, kHashes>& hashes,
                                   std::array<const std::byte*, kHashes> blocks, size_t n_blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  RoundWords now[kHashes];
  for (size_t h = 0; h < kHashes; ++h) {
    now[h] = to_round_words(*hashes[h]);
  }
  for (; n_blocks > 0; --n_blocks) {
    __m128i schedule[kHashes][4];
    RoundWords before[kHashes];
    for (size_t h = 0; h < kHashes; ++h) {
      before[h] = now[h];
      for (size_t i = 0; i < 4; ++i) {
        const auto* const from = reinterpret_cast<const __m128i*>(blocks[h] + 16 * i);
        schedule[h][i] = _mm_shuffle_epi8(_mm_loadu_si128(from), big_endian);
      }
      blocks[h] += kSha256Block;
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < 16; ++i) {
      const __m128i constants =
          _mm_load_si128(reinterpret_cast<const __m128i*>(kRoundConstants + 4 * i));
#pragma GCC unroll 4
      for (size_t h = 0; h < kHashes; ++h) {
        __m128i words = _mm_add_epi32(schedule[h][i % 4], constants);
        now[h].cdgh = _mm_sha256rnds2_epu32(now[h].cdgh, now[h].abef, words);
        words = _mm_shuffle_epi32(words, 0x0e);
        now[h].abef = _mm_sha256rnds2_epu32(now[h].abef, now[h].cdgh, words);
        if (i < 12) {
          __m128i& next = schedule[h][i % 4];
          const __m128i w7 = _mm_alignr_epi8(schedule[h][(i + 3) % 4], schedule[h][(i + 2) % 4], 4);
          next = _mm_sha256msg1_epu32(next, schedule[h][(i + 1) % 4]);
          next = _mm_sha256msg2_epu32(_mm_add_epi32(next, w7), schedule[h][(i + 3) % 4]);
        }
      }
    }
    for (size_t h = 0; h < kHashes; ++h) {
      now[h].abef = _mm_add_epi32(now[h].abef, before[h].abef);
      now[h].cdgh = _mm_add_epi32(now[h].cdgh, before[h].cdgh);
    }
  }
  for (size_t h = 0; h < kHashes; ++h) {
    from_round_words(now[h], *hashes[h]);
  }
}

}  // namespace

static auto ask_for_sha256_instructions() -> bool {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kSha = 1U << 29;
  return __builtin_cpu_supports("sse4.1") != 0 &&
         __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kSha) != 0;
}

auto has_sha256_instructions() -> bool {
  // In a virtual machine the question leaves it, which takes as long as hashing a message.
  static const bool has_them = ask_for_sha256_instructions();
  return has_them;
}

void compress(Sha256Words& hash, const std::byte* blocks, size_t n_blocks) {
  compress_all<1>({&hash}, {blocks}, n_blocks);
}

void compress_both(Sha256Words& a, const std::byte* a_blocks, Sha256Words& b,
                   const std::byte* b_blocks, size_t n_blocks) {
  compress_all<2>({&a, &b}, {a_blocks, b_blocks}, n_blocks);
}

}  // namespace tacet::he

#else

#include "base/check.h"

namespace tacet::he {

auto has_sha256_instructions() -> bool {
  return false;
}

void compress(Sha256Words&, const std::byte*, size_t) {
  TACET_CHECK(false, "this processor has no instructions for SHA-256");
}

void compress_both(Sha256Words&, const std::byte*, Sha256Words&, const std::byte*, size_t) {
  TACET_CHECK(false, "this processor has no instructions for SHA-256");
}

}  // namespace tacet::he

#endif
