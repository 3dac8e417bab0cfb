#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/random/counter_kernels.h"

/// Private to this folder: the rounds of Threefish over vectors of words, one counter a lane. For
/// `Vector`: kLanes, set(w), counters(first), load-free arithmetic +, ^, rotate_left<k>, and
/// store(p, v[4]), which writes the words of the lanes' blocks one block after another.
namespace tacet::engine {

template <class Vector>
class CounterRounds {
 public:
  explicit CounterRounds(const CounterMode& mode) : tweak_(mode.tweak), plaintext_(mode.plaintext) {
    keys_[4] = kThreefishKeyConstant;
    for (size_t i = 0; i < 4; ++i) {
      keys_[i] = mode.key[i];
      keys_[4] ^= mode.key[i];
    }
  }

  /// kGroups vectors of counters in step, so that no operation waits for the one before it.
  template <size_t kGroups>
  void blocks(uint64_t first, uint64_t* out) const {
    State states[kGroups];
    Tweaks tweaks[kGroups];
    for (size_t g = 0; g < kGroups; ++g) {
      tweaks[g][0] = Vector::set(tweak_);
      tweaks[g][1] = Vector::counters(first + g * Vector::kLanes);
      tweaks[g][2] = tweaks[g][0] ^ tweaks[g][1];
      for (size_t i = 0; i < 4; ++i) {
        states[g][i] = Vector::set(plaintext_[i]);
      }
    }
    four_rounds<0>(states, tweaks);
    four_rounds<1>(states, tweaks);
    four_rounds<2>(states, tweaks);
    four_rounds<3>(states, tweaks);
    four_rounds<4>(states, tweaks);
    for (size_t g = 0; g < kGroups; ++g) {
      add_key<5>(states[g], tweaks[g]);
      Vector::store(out + g * 4 * Vector::kLanes, states[g]);
    }
  }

  /// As many of `n_blocks` blocks as fill whole pairs of vectors; returns how many that are.
  auto fill_pairs(uint64_t first, size_t n_blocks, uint64_t* out) const -> size_t {
    constexpr size_t kStep = 2 * Vector::kLanes;
    size_t i = 0;
    for (; i + kStep <= n_blocks; i += kStep) {
      blocks<2>(first + i, out + 4 * i);
    }
    return i;
  }

 private:
  using State = std::array<Vector, 4>;
  using Tweaks = std::array<Vector, 3>;

  template <size_t kSubkey>
  [[gnu::always_inline]] void add_key(State& v, const Tweaks& t) const {
    v[0] = v[0] + Vector::set(keys_[kSubkey % 5]);
    v[1] = v[1] + (Vector::set(keys_[(kSubkey + 1) % 5]) + t[kSubkey % 3]);
    v[2] = v[2] + (Vector::set(keys_[(kSubkey + 2) % 5]) + t[(kSubkey + 1) % 3]);
    v[3] = v[3] + Vector::set(keys_[(kSubkey + 3) % 5] + kSubkey);
  }

  template <size_t kQuarter, size_t kGroups>
  [[gnu::always_inline]] void four_rounds(State (&v)[kGroups], const Tweaks (&t)[kGroups]) const {
    for (size_t g = 0; g < kGroups; ++g) {
      add_key<kQuarter>(v[g], t[g]);
    }
    constexpr size_t kFirst = kQuarter % 2 * 4;
    // Every second round the words that meet are other ones; after four they are back.
    round<kFirst, 1, 3>(v);
    round<kFirst + 1, 3, 1>(v);
    round<kFirst + 2, 1, 3>(v);
    round<kFirst + 3, 3, 1>(v);
  }

  template <size_t kRound, size_t kWithFirst, size_t kWithSecond, size_t kGroups>
  [[gnu::always_inline]] static void round(State (&v)[kGroups]) {
    for (size_t g = 0; g < kGroups; ++g) {
      mix<kThreefishRotations[kRound][0]>(v[g][0], v[g][kWithFirst]);
      mix<kThreefishRotations[kRound][1]>(v[g][2], v[g][kWithSecond]);
    }
  }

  template <int kRotation>
  [[gnu::always_inline]] static void mix(Vector& left, Vector& right) {
    left = left + right;
    right = Vector::template rotate_left<kRotation>(right) ^ left;
  }

  std::array<uint64_t, 5> keys_{};
  uint64_t tweak_;
  Block plaintext_;
};

}  // namespace tacet::engine
