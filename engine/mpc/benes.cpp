#include "engine/mpc/benes.h"

#include <bit>
#include <numeric>

#include "base/check.h"

namespace tacet::mpc {
namespace {

/// The number of the switch whose upper thing is at `place`, in a layer of this distance.
auto switch_of(size_t place, size_t distance) -> size_t {
  return place / (2 * distance) * distance + place % distance;
}

/// One block: sets its first and last layer so that what goes to each half can be permuted there,
/// and writes where things of the halves go, by halves, to `inner`.
///
/// Things i and i + h, which share a switch of the first layer, go to different halves, and so do
/// those whose places share one of the last: along such pairs, choices follow from one another.
void route_block(std::span<const uint32_t> places, uint8_t* first, uint8_t* last,
                 std::span<uint32_t> inner) {
  const size_t size = places.size();
  const size_t half = size / 2;
  std::vector<uint32_t> things(size);  // by place
  for (size_t i = 0; i < size; ++i) {
    things[places[i]] = static_cast<uint32_t>(i);
  }
  constexpr uint8_t kUnset = 2;
  std::vector<uint8_t> lower_half(size, kUnset);  // by thing
  for (size_t start = 0; start < half; ++start) {
    // `thing` goes to the upper half; who shares its switch to the lower; whose place is that one's
    // neighbour to the upper again.
    size_t thing = start;
    while (lower_half[thing] == kUnset) {
      const size_t partner = (thing + half) % size;
      lower_half[thing] = 0;
      lower_half[partner] = 1;
      thing = things[(places[partner] + half) % size];
    }
  }
  for (size_t i = 0; i < size; ++i) {
    const size_t from = i % half;
    const size_t to = places[i] % half;
    const bool in_lower = lower_half[i] == 1;
    if (i < half) {
      first[from] = in_lower ? 1 : 0;
    }
    if (places[i] < half) {
      last[to] = in_lower ? 1 : 0;
    }
    inner[(in_lower ? half : 0) + from] = static_cast<uint32_t>(to);
  }
}

}  // namespace

BenesNetwork::BenesNetwork(size_t n) : size_(std::bit_ceil(n)) {
  TACET_CHECK(n >= 2, "a network of less than two things");
  for (size_t distance = size_ / 2; distance >= 1; distance /= 2) {
    distances_.push_back(distance);
  }
  for (size_t distance = 2; distance < size_; distance *= 2) {
    distances_.push_back(distance);
  }
}

auto BenesNetwork::upper(size_t layer) const -> std::vector<uint32_t> {
  const size_t distance = distances_[layer];
  std::vector<uint32_t> result;
  for (size_t place = 0; place < size_; ++place) {
    if (place % (2 * distance) < distance) {
      result.push_back(static_cast<uint32_t>(place));
    }
  }
  return result;
}

auto BenesNetwork::lower(size_t layer) const -> std::vector<uint32_t> {
  std::vector<uint32_t> result = upper(layer);
  for (uint32_t& place : result) {
    place += static_cast<uint32_t>(distances_[layer]);
  }
  return result;
}

auto BenesNetwork::joined(size_t layer) const -> std::vector<uint32_t> {
  const size_t distance = distances_[layer];
  std::vector<uint32_t> result;
  for (size_t place = 0; place < size_; ++place) {
    const bool is_upper = place % (2 * distance) < distance;
    const size_t number = switch_of(is_upper ? place : place - distance, distance);
    result.push_back(static_cast<uint32_t>(is_upper ? number : size_ / 2 + number));
  }
  return result;
}

auto BenesNetwork::route(std::span<const uint32_t> places) const
    -> std::vector<std::vector<uint8_t>> {
  std::vector<std::vector<uint8_t>> settings(n_layers(), std::vector<uint8_t>(size_ / 2));
  std::vector<uint32_t> now(size_);
  std::iota(now.begin(), now.end(), 0);
  std::copy(places.begin(), places.end(), now.begin());
  std::vector<uint32_t> next(size_);
  // Blocks of one size lie one behind the other, each with the places inside of it.
  for (size_t block = size_, layer = 0; block > 2; block /= 2, ++layer) {
    for (size_t begin = 0; begin < size_; begin += block) {
      route_block(std::span(now).subspan(begin, block), &settings[layer][begin / 2],
                  &settings[n_layers() - 1 - layer][begin / 2],
                  std::span(next).subspan(begin, block));
    }
    now.swap(next);
  }
  for (size_t begin = 0; begin < size_; begin += 2) {
    settings[n_layers() / 2][begin / 2] = static_cast<uint8_t>(now[begin]);
  }
  return settings;
}

}  // namespace tacet::mpc
