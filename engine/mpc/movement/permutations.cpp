#include "engine/mpc/movement/permutations.h"

#include <algorithm>
#include <bit>

namespace tacet::mpc {

auto shuffle(Party& party, std::vector<Share> arrays) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("shuffle");
  Protocol& protocol = party.protocol();
  SecretPermutation order = co_await protocol.random_permutation(party, arrays[0].size());
  std::vector<Share> result =
      co_await protocol.permute(party, std::move(order), std::move(arrays), Direction::Forward);
  co_return result;
}

/// Places below n, which everybody may see.
static auto open_places(Party& party, Share places) -> Task<std::vector<uint32_t>> {
  const size_t n = places.size();
  const unsigned width = std::max(1U, static_cast<unsigned>(std::bit_width(n - 1)));
  RingArray opened = co_await party.protocol().open(party, std::move(places), width, std::nullopt);
  std::vector<uint32_t> result(n);
  for (size_t i = 0; i < n; ++i) {
    const auto place = static_cast<uint32_t>(opened.at(i));
    TACET_CHECK(place < n, "a place of a permutation that there is not");
    result[i] = place;
  }
  co_return result;
}

auto move_to(Party& party, Share places, std::vector<Share> arrays) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("move_to");
  if (places.size() == 0) {
    co_return arrays;
  }
  arrays.push_back(std::move(places));
  std::vector<Share> shuffled = co_await shuffle(party, std::move(arrays));
  const Share shuffled_places = shuffled.back();
  shuffled.pop_back();
  const std::vector<uint32_t> to = co_await open_places(party, shuffled_places);
  for (Share& array : shuffled) {
    array = scatter(array, to);
  }
  co_return shuffled;
}

auto move_from(Party& party, Share places, std::vector<Share> arrays) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("move_from");
  Protocol& protocol = party.protocol();
  if (places.size() == 0) {
    co_return arrays;
  }
  SecretPermutation order = co_await protocol.random_permutation(party, places.size());
  std::vector<Share> given = {std::move(places)};
  std::vector<Share> shuffled =
      co_await protocol.permute(party, order, std::move(given), Direction::Forward);
  const std::vector<uint32_t> from = co_await open_places(party, shuffled[0]);
  for (Share& array : arrays) {
    array = gather(array, from);
  }
  std::vector<Share> result =
      co_await protocol.permute(party, order, std::move(arrays), Direction::Inverse);
  co_return result;
}

}  // namespace tacet::mpc
