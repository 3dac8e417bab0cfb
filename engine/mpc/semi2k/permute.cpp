// A secret permutation is the composition of one permutation of each party. One party's permutation
// is applied by masks that were permuted before, or by a network of switches whose settings only it
// knows.

#include <numeric>

#include "engine/mpc/benes.h"
#include "engine/mpc/semi2k/semi2k_state.h"

namespace tacet::mpc {
namespace {

/// The others send their masked shares to the owner; all of the sum moves there.
auto permute_by_masks(Party& party, Semi2kState& state, const SecretPermutation& permutation,
                      Rank owner, std::vector<Share>& arrays, Direction direction) -> Task<> {
  const std::vector<uint32_t>& places = permutation.factors[owner];
  std::vector<PermutedMasks> masks;
  std::vector<Receipt> receipts;
  std::vector<std::vector<RingArray>> incoming(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    RingArray& own = arrays[i].parts[0];
    masks.push_back(state.correlations->permuted_masks(party, owner, permutation.number, direction,
                                                       own.ring(), permutation.n));
    if (party.rank() != owner) {
      party.send(owner, subtract(own, masks[i].before).bytes());
      own = masks[i].after;
      continue;
    }
    for (Rank distance = 1; distance < party.n_parties(); ++distance) {
      incoming[i].push_back(own.like());
      receipts.push_back({.from = party.other(distance), .into = incoming[i].back().edit_bytes()});
    }
  }
  co_await party.receive(std::move(receipts));
  if (party.rank() == owner) {
    for (size_t i = 0; i < arrays.size(); ++i) {
      RingArray sum = arrays[i].parts[0];
      for (const RingArray& theirs : incoming[i]) {
        sum = add(sum, theirs);
      }
      sum = direction == Direction::Forward ? scatter(sum, places) : gather(sum, places);
      arrays[i] = Share(add(sum, masks[i].shift));
    }
  }
  co_return kDone;
}

/// All arrays of one ring, one behind the other, through the owner's network: each layer is one
/// product of settings and differences.
auto permute_by_network(Party& party, Semi2kState& state, const SecretPermutation& permutation,
                        Rank owner, std::vector<Share>& arrays, Direction direction) -> Task<> {
  const size_t n = permutation.n;
  const BenesNetwork network(n);
  std::vector<std::vector<uint8_t>> settings;
  if (party.rank() == owner) {
    std::vector<uint32_t> places = permutation.factors[owner];
    if (direction == Direction::Inverse) {
      for (size_t i = 0; i < n; ++i) {
        places[permutation.factors[owner][i]] = static_cast<uint32_t>(i);
      }
    }
    settings = network.route(places);
  }
  for (Share& array : arrays) {
    const Ring ring = array.ring();
    const Share padding(RingArray::zeros(ring, network.size() - n, party.memory()));
    const Share both[] = {array, padding};
    Share all = concatenate(both);
    for (size_t layer = 0; layer < network.n_layers(); ++layer) {
      const Share upper = gather(all, network.upper(layer));
      const Share lower = gather(all, network.lower(layer));
      RingArray setting = RingArray::zeros(ring, network.size() / 2, party.memory());
      if (party.rank() == owner) {
        with_word(ring, [&]<class T>(std::type_identity<T>) {
          const std::span<T> words = setting.edit<T>();
          for (size_t i = 0; i < words.size(); ++i) {
            words[i] = settings[layer][i];
          }
        });
      }
      const Share moved =
          co_await semi2k_multiply(party, state, Share(std::move(setting)), subtract(lower, upper));
      const Share halves[] = {add(upper, moved), subtract(lower, moved)};
      all = gather(concatenate(halves), network.joined(layer));
    }
    array = slice(all, 0, n);
  }
  co_return kDone;
}

}  // namespace

auto semi2k_permute(Party& party, Semi2kState& state, SecretPermutation permutation,
                    std::vector<Share> arrays, Direction direction) -> Task<std::vector<Share>> {
  const Rank n = party.n_parties();
  for (Rank i = 0; i < n; ++i) {
    const Rank owner = direction == Direction::Forward ? i : n - 1 - i;
    if (state.correlations->has_permutations()) {
      co_await permute_by_masks(party, state, permutation, owner, arrays, direction);
    } else if (permutation.n > 1) {
      co_await permute_by_network(party, state, permutation, owner, arrays, direction);
    }
  }
  co_return arrays;
}

}  // namespace tacet::mpc
