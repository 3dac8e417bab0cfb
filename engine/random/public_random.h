#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu.h"
#include "engine/random/rng_state.h"

/// Reproducible randomness: every draw is a function of the run's key and of its place, given by a
/// static bit string (where in the program) and a dynamic one (which iteration, which call). So no
/// optimisation, device or number of threads changes a draw, and any draw can be made again by
/// hand.
namespace tacet::engine {

/// The key of up to 64 hexadecimal digits, taken as one number: what is missing in front is zero.
/// Nothing if the text is anything else.
auto parse_random_key(std::string_view hexadecimal) -> std::optional<PublicRandomKey>;
/// All 64 digits.
auto random_key_text(const PublicRandomKey& key) -> std::string;
/// A key from the system's source of entropy.
auto draw_random_key() -> PublicRandomKey;

/// The block of 256 bits number `counter` of a place (`RngState`).
auto random_block(const PublicRandomKey& key, const BitString& static_bits,
                  std::span<const uint64_t> dynamic_words, uint64_t counter = 0) -> Block;

/// The blocks of one place in sequence, as numbers. No function of it calls the mathematics
/// library, whose last bits differ from system to system.
class PublicRandomStream {
 public:
  /// The kernels for `isa`, which the processor has to have; all give the same numbers.
  explicit PublicRandomStream(const BlockSource& source, Isa isa = best_isa())
      : source_(source), isa_(isa) {}
  explicit PublicRandomStream(const RngState& place, Isa isa = best_isa())
      : PublicRandomStream(place.source(), isa) {}
  PublicRandomStream(const PublicRandomKey& key, const BitString& static_bits,
                     std::span<const uint64_t> dynamic_words)
      : PublicRandomStream(RngState(key).split(static_bits, dynamic_words)) {}

  /// 64 bits.
  auto next() -> uint64_t {
    if (n_read_ == buffer_.size()) {
      refill();
    }
    return buffer_[n_read_++];
  }
  /// The next numbers, as many as `out` holds: what `next` would give, many blocks at a time.
  void fill(std::span<uint64_t> out);

  /// A number of `0 … n - 1`, each as likely as any other; `n` is not zero. Multiplies and rejects
  /// (Lemire, "Fast Random Integer Generation in an Interval", algorithm 5).
  auto below(uint64_t n) -> uint64_t;
  /// A number of [0, 1): uniform over the reals, rounded down to what a double holds, so that small
  /// numbers have all their bits.
  auto unit() -> double;
  /// True with probability `p`, exactly: 0 and 1 and what is beyond them are never and always.
  auto bernoulli(double p) -> bool { return unit() < p; }
  /// A number of the standard normal distribution: one from the reals, exactly distributed, and
  /// then rounded to the nearest double, which is the only error (Karney, "Sampling Exactly from
  /// the Normal Distribution", algorithm N). About 30 words of the stream.
  auto normal() -> double;
  /// Every order of `0 … n - 1` as likely as any other (Fisher and Yates).
  auto permutation(uint64_t n) -> std::vector<uint64_t>;

 private:
  void refill();

  BlockSource source_;
  Isa isa_;
  uint64_t n_blocks_ = 0;  ///< made
  std::vector<uint64_t> buffer_;
  size_t n_read_ = 0;  ///< of the buffer
};

}  // namespace tacet::engine
