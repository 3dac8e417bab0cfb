#pragma once

#include <span>
#include <vector>

#include "engine/mpc/protocol.h"

/// Private to this folder: secret powers of two, and numbers multiplied by them.
namespace tacet::mpc {

/// For numbers given by their bits: plane e is set where the number has e bits, 2^(e-1) <= x < 2^e;
/// plane 0 where it is zero. One plane of width + 1 is set. ceil(log2(width)) rounds.
auto length_planes(Party& party, Bits x) -> Task<Bits>;

/// The bits of `values[p]` of the one plane p of `one_hot` that is set. Local.
auto chosen_bits(const Bits& one_hot, std::span<const unsigned> values) -> Bits;

/// 0 and 1 as numbers, one array for each plane. The rounds of one conversion.
auto planes_to_numbers(Party& party, Bits x, Ring ring) -> Task<std::vector<Share>>;

/// 1 where `bit` is 0, `value` where it is 1. Local.
auto one_or(Party& party, const Share& bit, Word128 value) -> Share;

/// 2^(step * b) of the number b that the bits make, as factors. Local.
auto power_factors(Party& party, std::span<const Share> bits, unsigned step = 1)
    -> std::vector<Share>;

/// The product of all, of n numbers in ceil(log2 n) sequential steps.
auto product_of(Party& party, std::vector<Share> factors) -> Task<Share>;

/// Where numbers of 64 bits leave a range, one plane each.
struct Outside {
  Bits is_negative;
  Bits below;  ///< x < low
  Bits above;  ///< x >= high
};

/// Against low < 0 < high, for all x.
auto outside(Party& party, Share x, int64_t low, int64_t high) -> Task<Outside>;

/// 1 - bit. Local.
auto one_without(Party& party, const Share& bit) -> Share;

/// The greatest and the least number, as saturated results are: the greatest but one, as the number
/// it is added to may be off by a unit.
constexpr Word128 kGreatestNumber = (Word128{1} << 63) - 2;
constexpr Word128 kLeastNumber = 0 - (Word128{1} << 63);

/// x * 2^-shift, for positive and negative shifts.
auto shifted(Party& party, Share x, int shift, Truncation how) -> Task<Share>;
auto multiply_shifted(Party& party, Share x, Share y, int shift, Truncation how) -> Task<Share>;

}  // namespace tacet::mpc
