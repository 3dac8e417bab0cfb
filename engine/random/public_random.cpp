#include "engine/random/public_random.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <random>

#include "base/check.h"
#include "engine/random/counter_kernels.h"

namespace tacet::engine {

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

auto random_block(const PublicRandomKey& key, const BitString& static_bits,
                  std::span<const uint64_t> dynamic_words, uint64_t counter) -> Block {
  return RngState(key).split(static_bits, dynamic_words).source().block(counter);
}

static auto mode_of(const BlockSource& source) -> CounterMode {
  return {.key = source.key, .tweak = source.tweak, .plaintext = source.plaintext};
}

/// Most places draw a number or two; those that draw more draw many.
void PublicRandomStream::refill() {
  constexpr size_t kManyBlocks = 32;
  const size_t n = n_blocks_ == 0 ? 1 : kManyBlocks;
  buffer_.resize(4 * n);
  fill_blocks(isa_)(mode_of(source_), n_blocks_, n, buffer_.data());
  n_blocks_ += n;
  n_read_ = 0;
}

void PublicRandomStream::fill(std::span<uint64_t> out) {
  while (!out.empty() && n_read_ < buffer_.size()) {
    out.front() = buffer_[n_read_++];
    out = out.subspan(1);
  }
  const size_t n_whole = out.size() / 4;
  fill_blocks(isa_)(mode_of(source_), n_blocks_, n_whole, out.data());
  n_blocks_ += n_whole;
  for (uint64_t& word : out.subspan(4 * n_whole)) {
    word = next();
  }
}

auto PublicRandomStream::below(uint64_t n) -> uint64_t {
  TACET_CHECK(n != 0, "there is not a number below zero");
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

auto PublicRandomStream::permutation(uint64_t n) -> std::vector<uint64_t> {
  std::vector<uint64_t> order(n);
  std::iota(order.begin(), order.end(), uint64_t{0});
  for (uint64_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[below(i)]);
  }
  return order;
}

}  // namespace tacet::engine
