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

static void add(Block& sum, const Block& block) {
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] ^= block[i];
  }
}

void RngState::append_static(bool bit) {
  const size_t place = n_static_ % 256;
  static_last_[place / 64] |= bit ? kTopBit >> (place % 64) : 0;
  ++n_static_;
  if (place == 255) {
    add(static_sum_, threefish256(key_, {n_static_ / 256 - 1, 0}, static_last_));
    static_last_ = {};
  }
}

void RngState::append_static(const BitString& bits) {
  for (size_t i = 0; i < bits.size(); ++i) {
    append_static(bits.bit(i));
  }
}

void RngState::append_dynamic(uint64_t word) {
  if (n_last_ == dynamic_last_.size()) {
    add(dynamic_sum_, threefish256(key_, {kTopBit | n_dynamic_blocks_, 0}, dynamic_last_));
    ++n_dynamic_blocks_;
    dynamic_last_ = {};
    n_last_ = 0;
  }
  dynamic_last_[n_last_++] = word;
}

void RngState::append_dynamic(std::span<const uint64_t> words) {
  for (uint64_t word : words) {
    append_dynamic(word);
  }
}

auto RngState::split(const BitString& static_bits, std::span<const uint64_t> dynamic_words) const
    -> RngState {
  RngState result = *this;
  result.append_static(static_bits);
  result.append_dynamic(dynamic_words);
  return result;
}

auto RngState::source() const -> BlockSource {
  Block padded = static_last_;
  padded[n_static_ % 256 / 64] |= kTopBit >> (n_static_ % 64);
  Block sum = threefish256(key_, {n_static_ / 256, 0}, padded);
  add(sum, static_sum_);
  add(sum, dynamic_sum_);
  add(sum, dynamic_last_);
  const bool is_full = n_last_ == dynamic_last_.size();
  if (!is_full) {
    sum[n_last_] ^= kTopBit;
  }
  return {.key = key_, .tweak = is_full ? kFinalFullTweak : kFinalPaddedTweak, .plaintext = sum};
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
