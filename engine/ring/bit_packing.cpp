#include "engine/ring/bit_packing.h"

#include <bit>
#include <cstring>

namespace tacet::ring {

static_assert(std::endian::native == std::endian::little, "words are copied as they are");

static void pack_scalar(const uint64_t* words, size_t n, unsigned bits, std::byte* out) {
  uint64_t word = 0;
  unsigned filled = 0;  // bits of it
  for (size_t i = 0; i < n; ++i) {
    word |= words[i] << filled;
    filled += bits;
    if (filled >= 64) {
      std::memcpy(out, &word, sizeof(word));
      out += sizeof(word);
      filled -= 64;
      word = filled == 0 ? 0 : words[i] >> (bits - filled);
    }
  }
  std::memcpy(out, &word, filled / 8);
}

static auto unpack_scalar(const std::byte* in, size_t n, unsigned bits, uint64_t bound,
                          uint64_t* words) -> uint64_t {
  const size_t size = n / 8 * bits;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  uint64_t too_large = 0;
  const auto take = [&](const std::byte* word_at, size_t i) {
    uint64_t word = 0;
    std::memcpy(&word, word_at, sizeof(word));
    words[i] = (word >> (i * bits % 8)) & mask;
    too_large |= (bound - 1 - words[i]) >> 63;
  };
  size_t i = 0;
  for (; i < n && i * bits / 8 + sizeof(uint64_t) <= size; ++i) {
    take(in + i * bits / 8, i);
  }
  for (; i < n; ++i) {
    // A word would reach behind the end.
    std::byte last[sizeof(uint64_t)] = {};
    const size_t begin = i * bits / 8;
    std::memcpy(last, in + begin, size - begin);
    take(last, i);
  }
  return too_large;
}

auto scalar_packing() -> const PackingKernels& {
  static constexpr PackingKernels kKernels = {pack_scalar, unpack_scalar};
  return kKernels;
}

auto packing_kernels(Isa isa) -> const PackingKernels& {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::Scalar:
      return scalar_packing();
    case Isa::Avx2:
      return avx2_packing();
    case Isa::Avx512Ifma:
      return avx512_packing();
  }
#endif
  (void)isa;
  return scalar_packing();
}

}  // namespace tacet::ring
