#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/mpc/ring_array.h"

namespace tacet::mpc {

/// A whole number from -2^255 to 2^255 - 1: four words of it modulo 2^256, the least first.
using Whole = std::array<uint64_t, 4>;

constexpr auto add(const Whole& x, const Whole& y) -> Whole {
  Whole out{};
  Word128 carry = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    carry += Word128{x[i]} + y[i];
    out[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  return out;
}

constexpr auto negate(const Whole& x) -> Whole {
  return add({~x[0], ~x[1], ~x[2], ~x[3]}, {1, 0, 0, 0});
}

/// low + high 2^shift, 0 < shift < 64.
constexpr auto whole_of(int64_t low, int64_t high, unsigned shift) -> Whole {
  const auto sign_of = [](int64_t x) { return static_cast<uint64_t>(x >> 63); };
  const auto top = static_cast<uint64_t>(high);
  const uint64_t over = top >> (64 - shift) | sign_of(high) << shift;
  return add({static_cast<uint64_t>(low), sign_of(low), sign_of(low), sign_of(low)},
             {top << shift, over, sign_of(high), sign_of(high)});
}

}  // namespace tacet::mpc
