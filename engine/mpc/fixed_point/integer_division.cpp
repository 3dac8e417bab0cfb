#include "engine/mpc/fixed_point/integer_division.h"

#include <array>
#include <utility>
#include <vector>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/fixed_point/polynomial.h"
#include "engine/mpc/fixed_point/scaling.h"

namespace tacet::mpc {

using mpc_model::DivisionPart;
using mpc_model::DivisionPlan;

namespace {

/// |x| and |y| behind one another, and the sign of x / y as 1 or -1 if there are signs.
struct Sizes {
  Share both;
  Share sign;
};

/// 2^(L - e) for a divisor of e bits, one at least, and 1 where it is 0.
struct Scaling {
  Share power;
  Share zero;
};

auto sizes_of(Party& party, Bits bits, IntegerType type, Ring ring) -> Task<Sizes> {
  Sizes sizes;
  if (type.signedness == Signedness::Unsigned) {
    sizes.both = co_await from_bits(party, bits, type.signedness, ring);
    co_return sizes;
  }
  const size_t n = bits.size() / 2;
  auto [numbers, are_negative] =
      co_await all(from_bits(party, bits, type.signedness, ring),
                   to_number(party, plane_range(bits, type.width - 1, 1), ring));
  const Share signs = one_or(party, are_negative, ~Word128{0});
  const std::array<Share, 2> left{numbers, slice(signs, 0, n)};
  const std::array<Share, 2> right{signs, slice(signs, n, n)};
  const Share products = co_await multiply(party, concatenate(left), concatenate(right));
  sizes.both = slice(products, 0, 2 * n);
  sizes.sign = slice(products, 2 * n, n);
  co_return sizes;
}

auto power_of(Party& party, Bits exponent, Ring ring) -> Task<Share> {
  const std::vector<Share> numbers = co_await planes_to_numbers(party, std::move(exponent), ring);
  Share power = co_await product_of(party, power_factors(party, numbers));
  co_return power;
}

/// Neither a bit nor a sign.
auto zero_of(Party& party, Bits reached, Bits sign, Ring ring) -> Task<Share> {
  Bits zero = party.protocol().complement(party, std::move(reached));
  if (sign.width() > 0) {
    zero = co_await conjunction(party, zero, party.protocol().complement(party, std::move(sign)));
  }
  Share number = co_await to_number(party, std::move(zero), ring);
  co_return number;
}

/// A negative y is taken as |y| - 1, the complement of its bits: |y| times the power is up to 2^L
/// then, and not below.
auto scaling_of(Party& party, Bits y, IntegerType type, Ring ring) -> Task<Scaling> {
  const bool is_signed = type.signedness == Signedness::Signed;
  const unsigned length = is_signed ? type.width - 1 : type.width;
  const Bits sign = is_signed ? plane_range(y, length, 1) : Bits();
  const Bits size =
      is_signed ? exclusive_or(plane_range(y, 0, length), repeat_plane(y, length, length)) : y;
  const Bits reached = co_await suffix_or(party, size);
  // One bit at least, also of 0 and of -1.
  const Bits none = zero_bits(reached.n_parts, 1, reached.size(), party.memory());
  const Bits always = party.protocol().complement(party, none);
  const Bits higher = plane_range(reached, 1, length - 1);
  const std::array<Bits, 2> from_here{always, higher};
  const std::array<Bits, 2> above{higher, none};
  const Bits highest = exclusive_or(stack_planes(from_here), stack_planes(above));
  std::vector<unsigned> exponents;
  for (unsigned p = 0; p < length; ++p) {
    exponents.push_back(length - 1 - p);
  }
  Scaling scaling;
  auto [power, zero] = co_await all(power_of(party, chosen_bits(highest, exponents), ring),
                                    zero_of(party, plane_range(reached, 0, 1), sign, ring));
  scaling.power = power;
  scaling.zero = zero;
  co_return scaling;
}

/// A quotient of numbers that are not negative, and what it leaves.
struct Step {
  Share quotient;
  Share rest;
};

/// What all steps have in common.
struct Divisor {
  Share size;     ///< |y|
  Share power;    ///< p
  Share inverse;  ///< r, with inner bits
  int length = 0;
};

/// x r p / 2^L, where the product with r loses `lost` bits of its integer part, or keeps some
/// behind the point.
auto scaled_quotient(Party& party, Share x, Divisor divisor, int inner, int lost) -> Task<Share> {
  Share scaled = co_await multiply_shifted(party, std::move(x), divisor.inverse, inner + lost,
                                           Truncation::Exact);
  Share quotient = co_await multiply_shifted(party, scaled, divisor.power, divisor.length - lost,
                                             Truncation::Exact);
  co_return quotient;
}

auto step(Party& party, Share x, Share aim, Divisor divisor, int inner, int lost) -> Task<Step> {
  Step result;
  result.quotient = co_await scaled_quotient(party, std::move(aim), divisor, inner, lost);
  const Share taken = co_await multiply(party, result.quotient, divisor.size);
  result.rest = subtract(x, taken);
  co_return result;
}

/// The quotient of the sizes.
auto quotient_of(Party& party, Share x, Divisor divisor, DivisionPlan plan) -> Task<Share> {
  const size_t n = x.size();
  const auto inner = static_cast<int>(plan.inner_bits);
  Step first{.quotient = {}, .rest = x};
  if (plan.has_two_steps) {
    first = co_await step(party, x, x, divisor, inner, static_cast<int>(plan.lost_bits));
  }
  // Twice the rest less the divisor, and one bit more behind the point: the quotient less 1/2.
  const Share aim = subtract(shift_left(first.rest, 1), divisor.size);
  Step last = co_await step(party, first.rest, aim, divisor, inner + 1,
                            -static_cast<int>(mpc_model::kGuardBits));
  Share quotient = plan.has_two_steps ? add(first.quotient, last.quotient) : last.quotient;
  const std::array<Share, 2> differences{last.rest, subtract(last.rest, divisor.size)};
  Bits are_negative =
      co_await top_bit(party, concatenate(differences), static_cast<unsigned>(divisor.length) + 2);
  const Share numbers = co_await to_number(party, std::move(are_negative), differences[0].ring());
  // One less where what is left is negative, one more where it has another divisor in it.
  quotient = subtract(quotient, slice(numbers, 0, n));
  co_return party.protocol().add_constant(party, subtract(quotient, slice(numbers, n, n)), 1);
}

auto in_ring(const Share& x, Ring ring) -> Share {
  return map_parts(x, [=](const RingArray& part) { return convert(part, ring, Extend::Zero); });
}

}  // namespace

auto divide_integers(Party& party, Share x, Share y, IntegerType type, DivisionPart part)
    -> Task<Share> {
  const Party::Scope scope = party.scope("divide_integers");
  const DivisionPlan plan = mpc_model::division_plan(type.width);
  const Ring wide = plan.ring_bits == 64 ? Ring::Z64 : Ring::Z128;
  const Ring ring = x.ring();
  const size_t n = x.size();
  const std::array<Share, 2> operands{x, y};
  const Bits bits = co_await to_bits(party, concatenate(operands), type.width);
  auto [sizes, scaling] = co_await all(sizes_of(party, bits, type, wide),
                                       scaling_of(party, slice(bits, n, n), type, wide));
  const bool is_signed = type.signedness == Signedness::Signed;
  Divisor divisor{.size = add(slice(sizes.both, n, n), scaling.zero),
                  .power = scaling.power,
                  .inverse = {},
                  .length = static_cast<int>(is_signed ? type.width - 1 : type.width)};
  const int to_inner = divisor.length - static_cast<int>(plan.inner_bits);
  const Share scaled =
      co_await multiply_shifted(party, divisor.size, divisor.power, to_inner, Truncation::Exact);
  // The polynomial is one in t = 4 c - 3.
  const Share t = party.protocol().add_constant(party, shift_left(scaled, 2),
                                                0 - (Word128{3} << plan.inner_bits));
  divisor.inverse = co_await evaluate_polynomial(party, Polynomial::Reciprocal, t, plan.inner_bits,
                                                 Truncation::Exact);
  Share quotient = co_await quotient_of(party, slice(sizes.both, 0, n), divisor, plan);
  if (is_signed) {
    quotient = co_await multiply(party, quotient, sizes.sign);
  }
  quotient = in_ring(quotient, ring);
  if (part == DivisionPart::Quotient) {
    co_return quotient;
  }
  const Share product = co_await multiply(party, quotient, add(y, in_ring(scaling.zero, ring)));
  co_return subtract(x, product);
}

}  // namespace tacet::mpc
