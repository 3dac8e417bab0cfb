#pragma once

#include <vector>

#include "engine/mpc/party.h"
#include "engine/mpc/task.h"
#include "engine/secure_random/seed_expander.h"

namespace tacet::mpc {

/// A seed for each pair of parties, which only they know: numbers that two parties have without
/// sending them. All parties draw in the same order.
class PairSeeds {
 public:
  /// The party with the lower rank draws a pair's seed and sends it to the other. One round.
  auto start(Party& party) -> Task<>;

  /// The next draw; every party takes one for the same thing.
  auto next() -> uint64_t { return n_draws_++; }
  /// Bytes of draw `draw` that this party has in common with `other`.
  void fill(uint64_t draw, Rank other, std::span<std::byte> bytes);

  /// Adds shares of zero, which are uniform but for their sum, to `n` words.
  void add_zero(const Party& party, RingArray& share);
  /// The same modulo 2.
  void add_zero(const Party& party, std::span<std::byte> share);

 private:
  std::vector<secure_random::SeedExpander> expanders_;  ///< by rank; the own one is of no use
  uint64_t n_draws_ = 0;
};

}  // namespace tacet::mpc
