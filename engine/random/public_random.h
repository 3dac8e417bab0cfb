#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/random/threefish.h"

/// Reproducible randomness: every draw is a function of the run's key and of its place, given by a
/// static bit string (where in the program) and a dynamic one (which turn, which call). So no
/// optimisation, device or number of threads changes a draw, and any draw can be made again by
/// hand.
///
/// The key is public. Nothing that must stay secret may come from here: masks, shares and keys
/// have generators of another type.
namespace tacet::engine {

/// The key of a run.
struct PublicRandomKey {
  Block words{};

  friend auto operator==(const PublicRandomKey&, const PublicRandomKey&) -> bool = default;
};

/// The key of up to 64 hexadecimal digits, taken as one number: what is missing in front is zero.
/// Nothing if the text is anything else.
auto parse_random_key(std::string_view hexadecimal) -> std::optional<PublicRandomKey>;
/// All 64 digits.
auto random_key_text(const PublicRandomKey& key) -> std::string;
/// A key from the system's source of entropy.
auto draw_random_key() -> PublicRandomKey;

/// A static bit string.
class BitString {
 public:
  void push_back(bool bit);
  /// The bits of `bytes`, each byte from its top.
  void append(std::string_view bytes);
  [[nodiscard]] auto size() const -> size_t { return size_; }
  /// The bits in words, from the top; what is behind them is zero.
  [[nodiscard]] auto words() const -> const std::vector<uint64_t>& { return words_; }

 private:
  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

/// The block of 256 bits number `counter` of a place: PMAC (Rogaway, "Efficient Instantiations of
/// Tweakable Blockciphers and Refinements to Modes OCB and PMAC") over Threefish-256 with 20
/// rounds. Deviations: two strings are hashed, told apart by the tweak's top bit; block `i` has the
/// tweak `i`, or `2^63 | i` in the dynamic string, instead of a multiple of a secret value; the
/// static string always ends in a 1 and zeros; the last dynamic block goes into the final
/// encryption, with tweak 2^63 - 1 if it is full and 2^64 - 1 if it had to be padded; the tweak's
/// second word is `counter`, which makes one place an unlimited stream.
auto random_block(const PublicRandomKey& key, const BitString& static_bits,
                  std::span<const uint64_t> dynamic_words, uint64_t counter = 0) -> Block;

/// The blocks of one place, one after another, as numbers.
class PublicRandomStream {
 public:
  PublicRandomStream(const PublicRandomKey& key, BitString static_bits,
                     std::vector<uint64_t> dynamic_words)
      : key_(key), static_bits_(std::move(static_bits)), dynamic_words_(std::move(dynamic_words)) {}

  /// 64 bits.
  auto next() -> uint64_t;
  /// A number of `0 … n - 1`, each as likely as any other; `n` is not zero. Multiplies and rejects
  /// (Lemire, "Fast Random Integer Generation in an Interval", algorithm 5).
  auto below(uint64_t n) -> uint64_t;
  /// A number of [0, 1): uniform over the reals, rounded down to what a double holds, so that small
  /// numbers have all their bits.
  auto unit() -> double;

 private:
  PublicRandomKey key_;
  BitString static_bits_;
  std::vector<uint64_t> dynamic_words_;
  Block block_{};
  uint64_t n_words_ = 0;  ///< handed out
};

}  // namespace tacet::engine
