#pragma once

#include "engine/cggi/objects.h"

namespace tacet::cggi {

/// The weight of a digit: 2^64 / base^(level + 1), the most significant level being 0.
constexpr auto digit_weight(const Decomposition& d, unsigned level) -> Torus {
  return Torus{1} << (kLog2Modulus - d.log2_base * (level + 1));
}

/// The digit of a level of the multiple of the last level's weight that is nearest to `x`. Digits
/// are in -base/2 … base/2 - 1: adding base/2 to each beforehand does without carries.
constexpr auto signed_digit(Torus x, const Decomposition& d, unsigned level) -> int64_t {
  Torus offset = digit_weight(d, d.n_levels - 1) / 2;
  for (unsigned l = 0; l < d.n_levels; ++l) {
    offset += digit_weight(d, l) << (d.log2_base - 1);
  }
  const Torus base = Torus{1} << d.log2_base;
  const Torus digit = ((x + offset) >> (kLog2Modulus - d.log2_base * (level + 1))) & (base - 1);
  return static_cast<int64_t>(digit) - static_cast<int64_t>(base / 2);
}

}  // namespace tacet::cggi
