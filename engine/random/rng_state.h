#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/random/threefish.h"

namespace tacet::engine {

/// The key of a run. It is public: nothing that must stay secret may come from it. Masks, shares
/// and keys have generators of another type.
struct PublicRandomKey {
  Block words{};

  friend auto operator==(const PublicRandomKey&, const PublicRandomKey&) -> bool = default;
};

/// A static bit string.
class BitString {
 public:
  void push_back(bool bit);
  /// The bits of `bytes`, each byte from its top.
  void append(std::string_view bytes);
  [[nodiscard]] auto size() const -> size_t { return size_; }
  [[nodiscard]] auto bit(size_t i) const -> bool {
    return (words_[i / 64] >> (63 - i % 64) & 1) != 0;
  }
  void append(const BitString& bits);
  /// The bits in words, from the top; what is behind them is zero.
  [[nodiscard]] auto words() const -> const std::vector<uint64_t>& { return words_; }

  friend auto operator==(const BitString&, const BitString&) -> bool = default;

 private:
  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

/// Its bits as 0 and 1.
auto bit_string_text(const BitString& bits) -> std::string;

/// What a place gives its blocks: one permutation under a tweak that the block's number completes.
struct BlockSource {
  Block key{};
  uint64_t tweak = 0;
  Block plaintext{};

  [[nodiscard]] auto block(uint64_t counter) const -> Block {
    return threefish256(key, {tweak, counter}, plaintext);
  }
};

/// A static string of bits that only grows. Blocks that are full are encrypted and added up at
/// once, so it is small whatever has been appended.
struct StaticRngState {
  Block sum{};
  Block last{};  ///< the bits behind the last full block, from the top
  uint64_t n_bits = 0;

  void append(const PublicRandomKey& key, bool bit);
  void append(const PublicRandomKey& key, const BitString& bits);

  friend auto operator==(const StaticRngState&, const StaticRngState&) -> bool = default;
};

/// The same of a dynamic string of words. At most four words wait: a full block stays until another
/// word comes, since the last one is encrypted differently.
struct DynamicRngState {
  Block sum{};
  Block last{};
  uint64_t n_words = 0;

  void append(const PublicRandomKey& key, uint64_t word);

  friend auto operator==(const DynamicRngState&, const DynamicRngState&) -> bool = default;
};

/// A dynamic state as words, for those who hand it on as data: the sum, what waits, and the number
/// of words.
inline constexpr size_t kRngStateCells = 9;
auto cells_of(const DynamicRngState& state) -> std::array<uint64_t, kRngStateCells>;
/// Of as many cells.
auto dynamic_state_of(std::span<const uint64_t> cells) -> DynamicRngState;

/// What a place draws from. One or two encryptions.
///
/// The function is PMAC (Rogaway, "Efficient Instantiations of Tweakable Blockciphers and
/// Refinements to Modes OCB and PMAC") over Threefish-256 with 20 rounds. Deviations: two strings
/// are hashed, distinguished by the tweak's top bit; block `i` has the tweak `i`, or `2^63 | i` in
/// the dynamic string, instead of a multiple of a secret value; the static string always ends in a
/// 1 and zeros; the last dynamic block goes into the final encryption, with tweak 2^63 - 1 if it is
/// full and 2^64 - 1 if it had to be padded; the tweak's second word is the number of the block of
/// output, which makes one place an unlimited stream.
auto block_source(const PublicRandomKey& key, const StaticRngState& static_state,
                  const DynamicRngState& dynamic_state) -> BlockSource;

/// A place of the run, as far as it is known: both strings. The static one is the same for all
/// iterations of a loop; what differs between iterations is the dynamic one's nine words at most.
class RngState {
 public:
  explicit RngState(const PublicRandomKey& key) : key_(key) {}
  /// Behind dynamic words that were appended with that key.
  RngState(const PublicRandomKey& key, const DynamicRngState& dynamic_state)
      : key_(key), dynamic_state_(dynamic_state) {}

  /// The state with these appended.
  [[nodiscard]] auto split(const BitString& static_bits,
                           std::span<const uint64_t> dynamic_words = {}) const -> RngState;
  [[nodiscard]] auto source() const -> BlockSource {
    return block_source(key_, static_state_, dynamic_state_);
  }

  friend auto operator==(const RngState&, const RngState&) -> bool = default;

 private:
  PublicRandomKey key_;
  StaticRngState static_state_;
  DynamicRngState dynamic_state_;
};

/// Bit strings for `n` places that share one, by halving: the first half of them, rounded down,
/// begins with 0. `split_bits(5)` is 00, 01, 10, 110, 111; of one place it is empty.
auto split_bits(size_t n) -> std::vector<BitString>;

}  // namespace tacet::engine
