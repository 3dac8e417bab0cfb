#include "engine/random/public_random.h"

#include <fmt/format.h>

#include <bit>
#include <random>

#include "base/check.h"

namespace tacet::engine {

static constexpr uint64_t kTopBit = uint64_t{1} << 63;
static constexpr uint64_t kFinalFullTweak = kTopBit - 1;
static constexpr uint64_t kFinalPaddedTweak = ~uint64_t{0};

auto parse_random_key(std::string_view hexadecimal) -> std::optional<PublicRandomKey> {
  if (hexadecimal.empty() || hexadecimal.size() > 64) {
    return std::nullopt;
  }
  PublicRandomKey key;
  for (char c : hexadecimal) {
    uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint64_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<uint64_t>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    for (size_t i = 0; i < key.words.size(); ++i) {
      uint64_t carried = i + 1 < key.words.size() ? key.words[i + 1] >> 60 : digit;
      key.words[i] = key.words[i] << 4 | carried;
    }
  }
  return key;
}

auto random_key_text(const PublicRandomKey& key) -> std::string {
  std::string text;
  for (uint64_t word : key.words) {
    text += fmt::format("{:016x}", word);
  }
  return text;
}

auto draw_random_key() -> PublicRandomKey {
  std::random_device source;
  PublicRandomKey key;
  for (uint64_t& word : key.words) {
    word = uint64_t{source()} << 32 | source();
  }
  return key;
}

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

static auto exclusive_or(Block a, const Block& b) -> Block {
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] ^= b[i];
  }
  return a;
}

/// Block `i` of a string of words; zeros behind its end.
static auto block_at(std::span<const uint64_t> words, size_t i) -> Block {
  Block block{};
  for (size_t k = 0; k < block.size() && 4 * i + k < words.size(); ++k) {
    block[k] = words[4 * i + k];
  }
  return block;
}

auto random_block(const PublicRandomKey& key, const BitString& static_bits,
                  std::span<const uint64_t> dynamic_words, uint64_t counter) -> Block {
  BitString padded = static_bits;
  padded.push_back(true);
  Block sum{};
  for (size_t i = 0; 256 * i < padded.size(); ++i) {
    sum = exclusive_or(sum, threefish256(key.words, {i, 0}, block_at(padded.words(), i)));
  }
  // The last block is full, or padded; of an empty string it is padding alone.
  size_t n_words = dynamic_words.size();
  bool is_full = n_words > 0 && n_words % 4 == 0;
  size_t last = is_full ? n_words / 4 - 1 : n_words / 4;
  for (size_t i = 0; i < last; ++i) {
    sum = exclusive_or(sum, threefish256(key.words, {kTopBit | i, 0}, block_at(dynamic_words, i)));
  }
  Block final_block = block_at(dynamic_words, last);
  if (!is_full) {
    final_block[n_words % 4] = kTopBit;
  }
  return threefish256(key.words, {is_full ? kFinalFullTweak : kFinalPaddedTweak, counter},
                      exclusive_or(sum, final_block));
}

auto PublicRandomStream::next() -> uint64_t {
  if (n_words_ % 4 == 0) {
    block_ = random_block(key_, static_bits_, dynamic_words_, n_words_ / 4);
  }
  return block_[n_words_++ % 4];
}

auto PublicRandomStream::below(uint64_t n) -> uint64_t {
  TACET_CHECK(n != 0, "there is no number below zero");
  __extension__ using Wide = unsigned __int128;
  const uint64_t rejected = (0 - n) % n;  // 2^64 mod n
  for (;;) {
    Wide product = Wide{next()} * n;
    if (static_cast<uint64_t>(product) >= rejected) {
      return static_cast<uint64_t>(product >> 64);
    }
  }
}

auto PublicRandomStream::unit() -> double {
  // As a binary fraction: zeros in front decide the exponent, 52 bits behind the first one follow.
  uint64_t exponent = 1022;
  uint64_t word = next();
  while (word == 0 && exponent >= 64) {
    exponent -= 64;
    word = next();
  }
  auto n_zeros = static_cast<uint64_t>(std::countr_zero(word));
  exponent = exponent > n_zeros ? exponent - n_zeros : 0;
  // The zeros were counted from the bottom; the top of the word is fresh unless they reach it.
  uint64_t significand = (n_zeros < 12 ? word : next()) >> 12;
  return std::bit_cast<double>(exponent << 52 | significand);
}

}  // namespace tacet::engine
