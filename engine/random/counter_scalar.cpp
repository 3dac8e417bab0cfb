#include <bit>

#include "engine/random/counter_rounds.h"

namespace tacet::engine {
namespace {

struct Word {
  static constexpr size_t kLanes = 1;
  uint64_t word;

  static auto set(uint64_t w) -> Word { return {w}; }
  static auto counters(uint64_t first) -> Word { return {first}; }
  template <int kRotation>
  static auto rotate_left(Word a) -> Word {
    return {std::rotl(a.word, kRotation)};
  }
  static void store(uint64_t* out, const std::array<Word, 4>& v) {
    for (size_t i = 0; i < 4; ++i) {
      out[i] = v[i].word;
    }
  }
  friend auto operator+(Word a, Word b) -> Word { return {a.word + b.word}; }
  friend auto operator^(Word a, Word b) -> Word { return {a.word ^ b.word}; }
};

}  // namespace

void fill_blocks_scalar(const CounterMode& mode, uint64_t first, size_t n_blocks, uint64_t* out) {
  const CounterRounds<Word> rounds(mode);
  size_t i = 0;
  for (; i + 2 <= n_blocks; i += 2) {
    rounds.blocks<2>(first + i, out + 4 * i);
  }
  if (i < n_blocks) {
    rounds.blocks<1>(first + i, out + 4 * i);
  }
}

auto fill_blocks(Isa isa) -> FillBlocks {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::Scalar:
      return fill_blocks_scalar;
    case Isa::Avx2:
      return fill_blocks_avx2;
    case Isa::Avx512Ifma:
      return fill_blocks_avx512;
  }
#endif
  static_cast<void>(isa);
  return fill_blocks_scalar;
}

}  // namespace tacet::engine
