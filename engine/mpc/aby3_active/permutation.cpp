#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/mpc/aby3_active/active_protocol.h"
#include "engine/mpc/benes.h"
#include "engine/mpc/uniform.h"

namespace tacet::mpc {

namespace {

/// The key stream of a part, for drawing permutations.
class PartStream final : public secure_random::RandomStream {
 public:
  explicit PartStream(secure_random::AesCtr& key) : key_(key) {}
  void fill(std::span<std::byte> bytes) override { key_.fill(bytes); }

 private:
  secure_random::AesCtr& key_;
};

auto inverse_of(const std::vector<uint32_t>& places) -> std::vector<uint32_t> {
  std::vector<uint32_t> inverse(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    inverse[places[i]] = static_cast<uint32_t>(i);
  }
  return inverse;
}

/// `x` with zeros behind.
auto padded(const Party& party, const Share& x, size_t n) -> Share {
  const std::array<Share, 2> parts{x,
                                   zero_share(x.n_parts, x.ring(), n - x.size(), party.memory())};
  return concatenate(parts);
}

/// Of each block of twice `distance` words, half: from `begin` on.
auto half_of(const Share& x, size_t distance, size_t begin) -> Share {
  return map_parts(x, [&](const RingArray& part) {
    RingArray half(part.ring(), part.size() / 2, part.memory());
    with_word(part.ring(), [&]<class T>(std::type_identity<T>) {
      const T* from = part.words<T>().data() + begin;
      const std::span<T> to = half.edit<T>();
      for (size_t block = 0; block < to.size(); block += distance) {
        for (size_t i = 0; i < distance; ++i) {
          to[block + i] = from[2 * block + i];
        }
      }
    });
    return half;
  });
}

/// Blocks of both halves.
auto joined(const Share& upper, const Share& lower, size_t distance) -> Share {
  return map_parts(upper, lower, [&](const RingArray& first, const RingArray& second) {
    RingArray all(first.ring(), 2 * first.size(), first.memory());
    with_word(first.ring(), [&]<class T>(std::type_identity<T>) {
      const std::span<const T> above = first.words<T>();
      const std::span<const T> below = second.words<T>();
      T* to = all.edit<T>().data();
      for (size_t block = 0; block < above.size(); block += distance) {
        for (size_t i = 0; i < distance; ++i) {
          to[2 * block + i] = above[block + i];
          to[2 * block + distance + i] = below[block + i];
        }
      }
    });
    return all;
  });
}

}  // namespace

// Factor i is known to those who hold part i.
auto Aby3Active::random_permutation(Party& party, size_t n) -> Task<SecretPermutation> {
  SecretPermutation permutation{.n = n, .factors = {}};
  permutation.factors.resize(kActiveParties);
  for (size_t i = 0; i < 2; ++i) {
    PartStream stream(keys_->of_part(i));
    permutation.factors[party.other(static_cast<Rank>(i))] = uniform_permutation(stream, n);
  }
  co_return permutation;
}

// A switch is a secret bit s, and takes u and v to u + s (v - u) and v - s (v - u).
auto Aby3Active::switch_layers(Party& party, std::vector<std::vector<uint8_t>> settings,
                               size_t n_places, Rank known_part, std::vector<Share> arrays)
    -> Task<std::vector<Share>> {
  const BenesNetwork network(n_places);
  const size_t n_switches = network.size() / 2;
  for (size_t layer = 0; layer < network.n_layers(); ++layer) {
    const size_t distance = network.distance(layer);
    std::vector<Task<Share>> tasks;
    std::vector<std::array<Share, 2>> halves;
    for (const Share& array : arrays) {
      RingArray words = RingArray::zeros(array.ring(), n_switches, party.memory());
      if (!settings.empty()) {
        with_word(array.ring(), [&]<class T>(std::type_identity<T>) {
          std::copy(settings[layer].begin(), settings[layer].end(), words.edit<T>().begin());
        });
      }
      halves.push_back({half_of(array, distance, 0), half_of(array, distance, distance)});
      tasks.push_back(multiply(party, from_part(party, known_part, words),
                               subtract(halves.back()[1], halves.back()[0])));
    }
    const std::vector<Share> moved = co_await all(std::move(tasks));
    for (size_t i = 0; i < arrays.size(); ++i) {
      arrays[i] = joined(add(halves[i][0], moved[i]), subtract(halves[i][1], moved[i]), distance);
    }
  }
  co_return arrays;
}

auto Aby3Active::permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
                         Direction direction) -> Task<std::vector<Share>> {
  const Party::Scope scope = party.scope("permute");
  for (const Share& array : arrays) {
    TACET_CHECK(array.size() == permutation.n, "a permutation of another size");
  }
  if (permutation.n < 2) {
    co_return arrays;
  }
  const BenesNetwork network(permutation.n);
  for (Share& array : arrays) {
    array = padded(party, array, network.size());
  }
  for (Rank step = 0; step < kActiveParties; ++step) {
    const bool is_forward = direction == Direction::Forward;
    const Rank factor = is_forward ? step : kActiveParties - 1 - step;
    std::vector<std::vector<uint8_t>> settings;
    if (own_part(party, factor)) {
      const std::vector<uint32_t>& places = permutation.factors[factor];
      settings = network.route(is_forward ? places : inverse_of(places));
    }
    arrays = co_await switch_layers(party, std::move(settings), permutation.n, factor,
                                    std::move(arrays));
  }
  for (Share& array : arrays) {
    array = slice(array, 0, permutation.n);
  }
  co_return arrays;
}

}  // namespace tacet::mpc
