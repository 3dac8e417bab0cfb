#include "engine/mpc/semi2k/pair_seeds.h"

#include "base/cpu.h"
#include "base/wipe.h"
#include "engine/mpc/ring_arithmetic.h"
#include "engine/mpc/semi2k/beaver_loops.h"

namespace tacet::mpc {

auto PairSeeds::start(Party& party) -> Task<> {
  std::vector<secure_random::PublicSeed> seeds(party.n_parties());
  std::vector<Receipt> receipts;
  for (Rank other = 0; other < party.n_parties(); ++other) {
    const auto bytes = std::as_writable_bytes(std::span(seeds[other].bytes));
    if (other > party.rank()) {
      seeds[other] = secure_random::PublicSeed::draw(party.random());
      party.send(other, bytes);
    } else if (other < party.rank()) {
      receipts.push_back({.from = other, .into = bytes});
    }
  }
  co_await party.receive(std::move(receipts));
  for (const secure_random::PublicSeed& seed : seeds) {
    expanders_.emplace_back(seed, 0, best_isa());
  }
  wipe(std::span(seeds));
  co_return kDone;
}

void PairSeeds::fill(uint64_t draw, Rank other, std::span<std::byte> bytes) {
  expanders_[other].restart(draw);
  expanders_[other].fill(bytes);
}

void PairSeeds::add_zero(const Party& party, RingArray& share) {
  const uint64_t draw = next();
  RingArray common = share.like();
  for (Rank other = 0; other < party.n_parties(); ++other) {
    if (other != party.rank()) {
      fill(draw, other, common.edit_bytes());
      share = other > party.rank() ? add(share, common) : subtract(share, common);
    }
  }
}

void PairSeeds::add_zero(const Party& party, std::span<std::byte> share) {
  const uint64_t draw = next();
  std::vector<std::byte> common(share.size());
  for (Rank other = 0; other < party.n_parties(); ++other) {
    if (other != party.rank()) {
      fill(draw, other, common);
      exclusive_or_into(share.data(), common.data(), share.size());
    }
  }
}

}  // namespace tacet::mpc
