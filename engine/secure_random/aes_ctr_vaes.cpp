#include <algorithm>
#include <cstring>

#include "base/wipe.h"
#include "engine/secure_random/aes_ctr_kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// Without this g++ keeps the eight blocks of a step in memory instead of in registers.
#if defined(__clang__)
#define TACET_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TACET_UNROLL _Pragma("GCC unroll 16")
#endif
#define TACET_TARGET_AES __attribute__((target("aes")))
#define TACET_TARGET_VAES __attribute__((target("vaes,aes,avx2")))

namespace tacet::secure_random {
namespace {

constexpr size_t kRounds = 14;
constexpr size_t kVectors = 8;                // in flight at once; the latency of a round is 4
constexpr size_t kStepBlocks = 2 * kVectors;  // two blocks a vector
constexpr size_t kStepBytes = 16 * kStepBlocks;

using RoundKeys = __m128i[kRounds + 1];  // NOLINT: std::array drops the vector's attributes

auto load(const std::byte* from) -> __m128i {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

auto load_number(const std::byte* from) -> uint64_t {
  uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return __builtin_bswap64(word);
}

// A word of the schedule is the sum of all words before it in its block and of `assist`.
auto next_round_key(__m128i previous, __m128i assist) -> __m128i {
  previous = _mm_xor_si128(previous, _mm_slli_si128(previous, 4));
  previous = _mm_xor_si128(previous, _mm_slli_si128(previous, 8));
  return _mm_xor_si128(previous, assist);
}

template <int kConstant>
TACET_TARGET_AES auto rotated_assist(__m128i key) -> __m128i {
  return _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, kConstant), 0xff);
}

TACET_TARGET_AES auto plain_assist(__m128i key) -> __m128i {
  return _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, 0), 0xaa);
}

// FIPS 197, section 5.2.
TACET_TARGET_AES void expand_key(const AesKey& key, RoundKeys& keys) {
  keys[0] = load(key.data());
  keys[1] = load(key.data() + 16);
  keys[2] = next_round_key(keys[0], rotated_assist<0x01>(keys[1]));
  keys[3] = next_round_key(keys[1], plain_assist(keys[2]));
  keys[4] = next_round_key(keys[2], rotated_assist<0x02>(keys[3]));
  keys[5] = next_round_key(keys[3], plain_assist(keys[4]));
  keys[6] = next_round_key(keys[4], rotated_assist<0x04>(keys[5]));
  keys[7] = next_round_key(keys[5], plain_assist(keys[6]));
  keys[8] = next_round_key(keys[6], rotated_assist<0x08>(keys[7]));
  keys[9] = next_round_key(keys[7], plain_assist(keys[8]));
  keys[10] = next_round_key(keys[8], rotated_assist<0x10>(keys[9]));
  keys[11] = next_round_key(keys[9], plain_assist(keys[10]));
  keys[12] = next_round_key(keys[10], rotated_assist<0x20>(keys[11]));
  keys[13] = next_round_key(keys[11], plain_assist(keys[12]));
  keys[14] = next_round_key(keys[12], rotated_assist<0x40>(keys[13]));
}

// `n_steps` times `kStepBlocks` blocks, whose counters have the same upper half.
TACET_TARGET_VAES void encrypt_counters(const RoundKeys& keys, uint64_t high, uint64_t low,
                                        std::byte* out, size_t n_steps) {
  const __m256i reverse = _mm256_broadcastsi128_si256(
      _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  const auto upper = static_cast<long long>(high);
  __m256i counters =
      _mm256_set_epi64x(static_cast<long long>(low + 1), upper, static_cast<long long>(low), upper);
  const __m256i two = _mm256_set_epi64x(2, 0, 2, 0);
  for (; n_steps != 0; --n_steps, out += kStepBytes) {
    __m256i blocks[kVectors];
    __m256i key = _mm256_broadcastsi128_si256(keys[0]);
    TACET_UNROLL
    for (size_t i = 0; i < kVectors; ++i) {
      blocks[i] = _mm256_xor_si256(_mm256_shuffle_epi8(counters, reverse), key);
      counters = _mm256_add_epi64(counters, two);
    }
    TACET_UNROLL
    for (size_t round = 1; round < kRounds; ++round) {
      key = _mm256_broadcastsi128_si256(keys[round]);
      TACET_UNROLL
      for (size_t i = 0; i < kVectors; ++i) {
        blocks[i] = _mm256_aesenc_epi128(blocks[i], key);
      }
    }
    key = _mm256_broadcastsi128_si256(keys[kRounds]);
    TACET_UNROLL
    for (size_t i = 0; i < kVectors; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * i),
                          _mm256_aesenclast_epi128(blocks[i], key));
    }
  }
}

class VaesAesCtr final : public AesCtrKernel {
 public:
  ~VaesAesCtr() override { wipe(std::span(keys_)); }

  void start(const AesKey& key, const AesBlock& counter) override {
    expand_key(key, keys_);
    high_ = load_number(counter.data());
    low_ = load_number(counter.data() + 8);
  }

  void blocks(std::span<std::byte> out) override {
    while (!out.empty()) {
      // Up to where the lower half of the counter wraps around.
      uint64_t n_blocks = std::min<uint64_t>(out.size() / 16 - 1, ~low_) + 1;
      same_upper_half(out.first(n_blocks * 16));
      low_ += n_blocks;
      high_ += low_ == 0 ? 1 : 0;
      out = out.subspan(n_blocks * 16);
    }
  }

 private:
  void same_upper_half(std::span<std::byte> out) {
    size_t n_steps = out.size() / kStepBytes;
    encrypt_counters(keys_, high_, low_, out.data(), n_steps);
    auto rest = out.subspan(n_steps * kStepBytes);
    if (!rest.empty()) {
      std::array<std::byte, kStepBytes> step;
      ScopedWipe guard(step);
      encrypt_counters(keys_, high_, low_ + n_steps * kStepBlocks, step.data(), 1);
      std::copy_n(step.begin(), rest.size(), rest.begin());
    }
  }

  RoundKeys keys_ = {};
  uint64_t high_ = 0;  ///< the next counter
  uint64_t low_ = 0;
};

}  // namespace

/// Asked of the processor itself, as not every compiler knows a name for VAES.
static auto ask_for_vaes() -> bool {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  bool has_aes = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_AES) != 0;
  bool has_wide_aes = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & bit_VAES) != 0;
  return has_aes && has_wide_aes && is_supported(Isa::Avx2);
}

auto has_vaes() -> bool {
  // Once: a virtual machine answers in some 50 microseconds.
  static const bool has = ask_for_vaes();
  return has;
}

auto vaes_aes_ctr() -> std::unique_ptr<AesCtrKernel> {
  return std::make_unique<VaesAesCtr>();
}

}  // namespace tacet::secure_random

#else

namespace tacet::secure_random {

auto has_vaes() -> bool {
  return false;
}
auto vaes_aes_ctr() -> std::unique_ptr<AesCtrKernel> {
  return nullptr;
}

}  // namespace tacet::secure_random

#endif
