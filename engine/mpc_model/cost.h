#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tacet::mpc_model {

/// What a kernel does beside sending, under a protocol that checks products later.
struct Recorded {
  enum class Kind : uint8_t {
    Dots,            ///< `n` dot products of `length` words of `ring` bits
    MatrixProducts,  ///< a product of matrices, `length` columns times as many rows
    Conjunctions,    ///< of `n` words of bits
    Opening,         ///< before which everything is checked that was recorded
  };
  Kind kind = Kind::Opening;
  /// Whether everything is checked at once if this makes it much.
  bool is_followed_by_check = true;
  unsigned ring = 64;
  uint64_t length = 1;
  uint64_t n = 0;
  uint64_t n_words = 0;  ///< that count towards when it is much
  uint64_t round = 0;    ///< rounds of the kernel that are over

  friend auto operator==(const Recorded&, const Recorded&) -> bool = default;
};

/// In the order of rounds; null if there is nothing.
using Record = std::shared_ptr<const std::vector<Recorded>>;

/// What a kernel takes: rounds, and the bytes that all parties together send.
struct Cost {
  uint64_t rounds = 0;
  uint64_t bytes = 0;
  /// Products of which the checks are not in this, as they depend on what else is recorded.
  Record record{};

  friend auto operator==(const Cost& a, const Cost& b) -> bool {
    return a.rounds == b.rounds && a.bytes == b.bytes;
  }
};

auto record_of(const Recorded& one) -> Record;
/// The second one begins after that many rounds.
auto joined(const Record& first, const Record& second, uint64_t rounds) -> Record;
auto repeated(uint64_t count, const Record& record, uint64_t rounds) -> Record;

/// In sequence.
inline auto then(const Cost& first, const Cost& second) -> Cost {
  return {.rounds = first.rounds + second.rounds,
          .bytes = first.bytes + second.bytes,
          .record = joined(first.record, second.record, first.rounds)};
}
/// Side by side: rounds are shared.
inline auto beside(const Cost& first, const Cost& second) -> Cost {
  return {.rounds = std::max(first.rounds, second.rounds),
          .bytes = first.bytes + second.bytes,
          .record = joined(first.record, second.record, 0)};
}
inline auto times(uint64_t count, const Cost& cost) -> Cost {
  return {.rounds = count * cost.rounds,
          .bytes = count * cost.bytes,
          .record = repeated(count, cost.record, cost.rounds)};
}

}  // namespace tacet::mpc_model
