#pragma once

#include <cstdint>
#include <span>
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
  /// The bits in words, from the top; what is behind them is zero.
  [[nodiscard]] auto words() const -> const std::vector<uint64_t>& { return words_; }

  friend auto operator==(const BitString&, const BitString&) -> bool = default;

 private:
  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

/// What a place gives its blocks: one permutation under a tweak that the block's number completes.
struct BlockSource {
  Block key{};
  uint64_t tweak = 0;
  Block plaintext{};

  [[nodiscard]] auto block(uint64_t counter) const -> Block {
    return threefish256(key, {tweak, counter}, plaintext);
  }
};

/// A place of the run, as far as it is known: a static and a dynamic bit string that only grow.
/// Blocks that are full are encrypted and added up at once, so a state is small whatever has been
/// appended, splitting it costs at most one encryption for every four words or 256 bits, and the
/// halves share what came before. At most four dynamic words wait: a full block stays until another
/// word comes, since the last one is encrypted differently. The static part is the same for all
/// turns of a loop; what differs from turn to turn is four to eight words.
///
/// The function is PMAC (Rogaway, "Efficient Instantiations of Tweakable Blockciphers and
/// Refinements to Modes OCB and PMAC") over Threefish-256 with 20 rounds. Deviations: two strings
/// are hashed, told apart by the tweak's top bit; block `i` has the tweak `i`, or `2^63 | i` in the
/// dynamic string, instead of a multiple of a secret value; the static string always ends in a 1
/// and zeros; the last dynamic block goes into the final encryption, with tweak 2^63 - 1 if it is
/// full and 2^64 - 1 if it had to be padded; the tweak's second word is the number of the block of
/// output, which makes one place an unlimited stream.
class RngState {
 public:
  explicit RngState(const PublicRandomKey& key) : key_(key.words) {}

  void append_static(bool bit);
  void append_static(const BitString& bits);
  void append_dynamic(uint64_t word);
  void append_dynamic(std::span<const uint64_t> words);

  /// The state with these appended.
  [[nodiscard]] auto split(const BitString& static_bits,
                           std::span<const uint64_t> dynamic_words = {}) const -> RngState;

  /// What the place draws from. One or two encryptions.
  [[nodiscard]] auto source() const -> BlockSource;

  friend auto operator==(const RngState&, const RngState&) -> bool = default;

 private:
  Block key_;
  Block static_sum_{};
  Block static_last_{};    ///< the bits behind the last full block, from the top
  uint64_t n_static_ = 0;  ///< bits in all
  Block dynamic_sum_{};
  Block dynamic_last_{};
  uint32_t n_last_ = 0;            ///< words of it, at most four
  uint64_t n_dynamic_blocks_ = 0;  ///< added up
};

/// Bit strings for `n` places that share one, by halving: the first half of them, rounded down,
/// begins with 0. `split_bits(5)` is 00, 01, 10, 110, 111; of one place it is empty.
auto split_bits(size_t n) -> std::vector<BitString>;

}  // namespace tacet::engine
