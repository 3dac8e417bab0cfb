#include "engine/random/threefish.h"

#include <bit>

#include "base/check.h"

namespace tacet::engine {

static void mix(uint64_t& left, uint64_t& right, int rotation) {
  left += right;
  right = std::rotl(right, rotation) ^ left;
}

auto threefish256(const Block& key, const Tweak& tweak, const Block& plaintext, unsigned rounds)
    -> Block {
  TACET_CHECK(rounds % 4 == 0, "a key is added every four rounds, and at the end");
  const std::array<uint64_t, 5> keys = {key[0], key[1], key[2], key[3],
                                        kThreefishKeyConstant ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
  const std::array<uint64_t, 3> tweaks = {tweak[0], tweak[1], tweak[0] ^ tweak[1]};
  Block state = plaintext;
  auto add_key = [&](uint64_t s) {
    state[0] += keys[s % 5];
    state[1] += keys[(s + 1) % 5] + tweaks[s % 3];
    state[2] += keys[(s + 2) % 5] + tweaks[(s + 1) % 3];
    state[3] += keys[(s + 3) % 5] + s;
  };
  for (unsigned round = 0; round < rounds; ++round) {
    if (round % 4 == 0) {
      add_key(round / 4);
    }
    mix(state[0], state[1], kThreefishRotations[round % 8][0]);
    mix(state[2], state[3], kThreefishRotations[round % 8][1]);
    std::swap(state[1], state[3]);
  }
  add_key(rounds / 4);
  return state;
}

}  // namespace tacet::engine
