#include <array>
#include <vector>

#include "engine/mpc/aby3_active/active_protocol.h"

/// Truncation of what is not negative, x + offset < 2^(k-1), whose parts are x0, x1 and x2:
///
///     x0 + x1 + x2 = x + offset + w 2^k,
///     x / 2^f = sum of the quotients x_j / 2^f, rounded down, + sum of the fractions - w 2^(k-f)
///               - offset / 2^f.
///
/// The quotients are local. Of the fractions, the upper two bits of each are added: with the sum s
/// of these, in quarters, the fractions are in [s / 4, (s + 3) / 4], and s / 4 rounded up is less
/// than one away from them, and as far on average. With the majority c and the parity p of three
/// bits, for the upper bits (1) and the lower ones (0), s = 4 c1 + 2 (p1 + c0) + p0, and s / 4
/// rounded up is c1 + (p1 | c0 | p0) + (p1 & c0 & p0).
///
/// How often the sum of the parts ran over is the sum of two carries: c of the top bits, and what
/// is carried out of them by p + 2 c, two numbers whose sum has no top bit: one of their top bits
/// is set exactly if there is a carry.
namespace tacet::mpc {

namespace {

/// One bit of each part of all numbers, for several bits.
auto bits_of_part(const Party& party, const Share& x, Rank part, std::span<const unsigned> places)
    -> Bits {
  const std::optional<size_t> own = own_part(party, part);
  std::vector<BitPlanes> planes;
  for (const unsigned place : places) {
    planes.push_back(own ? to_planes(shift_right(x.parts[*own], place), 1)
                         : BitPlanes::zeros(1, x.size(), party.memory()));
  }
  return from_part(party, part, stack_planes(planes));
}

}  // namespace

auto Aby3Active::truncate(Party& party, Share x, unsigned f, Truncation /*how*/) -> Task<Share> {
  const Party::Scope scope = party.scope("trunc_s");
  const Ring ring = x.ring();
  const unsigned k = n_bits(ring);
  TACET_CHECK(f > 0 && f < k - 1, "a truncation by all bits or none");
  const Word128 offset = truncation_offset(k, f);
  const Share raised = add_constant(party, std::move(x), offset);

  // Top bits, those below, and the upper two of fractions.
  std::vector<unsigned> places{k - 1, k - 2, f - 1};
  if (f > 1) {
    places.push_back(f - 2);
  }
  const auto width = static_cast<unsigned>(places.size());
  std::array<Bits, 3> bits;
  for (Rank part = 0; part < kActiveParties; ++part) {
    bits[part] = bits_of_part(party, raised, part, places);
  }
  const Bits left = exclusive_or(bits[0], bits[1]);
  const Bits parity = exclusive_or(left, bits[2]);
  Bits products = co_await conjunction(party, left, exclusive_or(bits[0], bits[2]));
  const Bits majority = exclusive_or(bits[0], products);
  const Bits top_carry = plane_range(majority, 0, 1);
  const Bits c1 = plane_range(majority, 2, 1);
  const Bits p1 = plane_range(parity, 2, 1);
  const Bits none = zero_bits(2, 1, raised.size(), party.memory());
  const Bits c0 = f > 1 ? plane_range(majority, 3, 1) : none;
  const Bits p0 = f > 1 ? plane_range(parity, 3, 1) : none;
  TACET_CHECK(width >= 3, "bits are missing");

  const std::array<Bits, 2> firsts{plane_range(parity, 0, 1), p1};
  const std::array<Bits, 2> seconds{plane_range(majority, 1, 1), c0};
  const Bits first = stack_planes(firsts);
  const Bits second = stack_planes(seconds);
  Bits both = co_await conjunction(party, first, second);
  const Bits either = exclusive_or(exclusive_or(first, second), both);
  const Bits next_carry = plane_range(either, 0, 1);

  const std::array<Bits, 2> low{p0, p0};
  const std::array<Bits, 2> high{plane_range(either, 1, 1), plane_range(both, 1, 1)};
  Bits with_low = co_await conjunction(party, stack_planes(low), stack_planes(high));
  const Bits any = exclusive_or(exclusive_or(high[0], p0), plane_range(with_low, 0, 1));
  const Bits all_of_them = plane_range(with_low, 1, 1);

  const std::array<Bits, 5> terms{top_carry, next_carry, c1, any, all_of_them};
  const Word128 overflow = Word128{0} - (Word128{1} << (k - f));
  std::vector<Word128> factors{overflow, overflow, 1, 1, 1};
  Share correction = co_await weighed_bits(party, stack_planes(terms), std::move(factors), ring);
  const Share quotients =
      map_parts(raised, [&](const RingArray& part) { return shift_right(part, f); });
  co_return add_constant(party, add(quotients, correction), Word128{0} - (offset >> f));
}

}  // namespace tacet::mpc
