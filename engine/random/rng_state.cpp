#include "engine/random/rng_state.h"

#include "base/check.h"

namespace tacet::engine {

static constexpr uint64_t kTopBit = uint64_t{1} << 63;
static constexpr uint64_t kFinalFullTweak = kTopBit - 1;
static constexpr uint64_t kFinalPaddedTweak = ~uint64_t{0};

void BitString::push_back(bool bit) {
  if (size_ % 64 == 0) {
    words_.push_back(0);
  }
  words_.back() |= bit ? kTopBit >> (size_ % 64) : 0;
  ++size_;
}

void BitString::append(std::string_view bytes) {
  for (char c : bytes) {
    for (int bit = 7; bit >= 0; --bit) {
      push_back((static_cast<unsigned char>(c) >> bit & 1) != 0);
    }
  }
}

void BitString::append(const BitString& bits) {
  for (size_t i = 0; i < bits.size(); ++i) {
    push_back(bits.bit(i));
  }
}

auto bit_string_text(const BitString& bits) -> std::string {
  std::string text;
  for (size_t i = 0; i < bits.size(); ++i) {
    text += bits.bit(i) ? '1' : '0';
  }
  return text;
}

static void add(Block& sum, const Block& block) {
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] ^= block[i];
  }
}

void StaticRngState::append(const PublicRandomKey& key, bool bit) {
  const size_t place = n_bits % 256;
  last[place / 64] |= bit ? kTopBit >> (place % 64) : 0;
  ++n_bits;
  if (place == 255) {
    add(sum, threefish256(key.words, {n_bits / 256 - 1, 0}, last));
    last = {};
  }
}

void StaticRngState::append(const PublicRandomKey& key, const BitString& bits) {
  for (size_t i = 0; i < bits.size(); ++i) {
    append(key, bits.bit(i));
  }
}

void DynamicRngState::append(const PublicRandomKey& key, uint64_t word) {
  if (n_words != 0 && n_words % 4 == 0) {
    add(sum, threefish256(key.words, {kTopBit | (n_words / 4 - 1), 0}, last));
    last = {};
  }
  last[n_words % 4] = word;
  ++n_words;
}

auto cells_of(const DynamicRngState& state) -> std::array<uint64_t, kRngStateCells> {
  std::array<uint64_t, kRngStateCells> cells{};
  std::copy(state.sum.begin(), state.sum.end(), cells.begin());
  std::copy(state.last.begin(), state.last.end(), cells.begin() + 4);
  cells[8] = state.n_words;
  return cells;
}

auto dynamic_state_of(std::span<const uint64_t> cells) -> DynamicRngState {
  TACET_CHECK(cells.size() == kRngStateCells, "a dynamic state has nine cells");
  DynamicRngState state;
  std::copy_n(cells.begin(), 4, state.sum.begin());
  std::copy_n(cells.begin() + 4, 4, state.last.begin());
  state.n_words = cells[8];
  return state;
}

auto block_source(const PublicRandomKey& key, const StaticRngState& static_state,
                  const DynamicRngState& dynamic_state) -> BlockSource {
  const uint64_t n_bits = static_state.n_bits;
  Block padded = static_state.last;
  padded[n_bits % 256 / 64] |= kTopBit >> (n_bits % 64);
  Block sum = threefish256(key.words, {n_bits / 256, 0}, padded);
  add(sum, static_state.sum);
  add(sum, dynamic_state.sum);
  add(sum, dynamic_state.last);
  const uint64_t n_words = dynamic_state.n_words;
  const bool is_full = n_words != 0 && n_words % 4 == 0;
  if (!is_full) {
    sum[n_words % 4] ^= kTopBit;
  }
  return {
      .key = key.words, .tweak = is_full ? kFinalFullTweak : kFinalPaddedTweak, .plaintext = sum};
}

auto RngState::split(const BitString& static_bits, std::span<const uint64_t> dynamic_words) const
    -> RngState {
  RngState result = *this;
  result.static_state_.append(key_, static_bits);
  for (uint64_t word : dynamic_words) {
    result.dynamic_state_.append(key_, word);
  }
  return result;
}

static void split(size_t n, const BitString& prefix, std::vector<BitString>& result) {
  TACET_CHECK(n != 0, "there is nothing to split for");
  if (n == 1) {
    result.push_back(prefix);
    return;
  }
  for (const bool bit : {false, true}) {
    BitString longer = prefix;
    longer.push_back(bit);
    split(bit ? n - n / 2 : n / 2, longer, result);
  }
}

auto split_bits(size_t n) -> std::vector<BitString> {
  std::vector<BitString> result;
  if (n != 0) {
    split(n, {}, result);
  }
  return result;
}

}  // namespace tacet::engine
