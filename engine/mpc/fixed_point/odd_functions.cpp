#include <array>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/fixed_point/polynomial.h"
#include "engine/mpc/fixed_point/scaling.h"

// Odd functions of t from -1 to 1, as t times a polynomial of 2 t^2 - 1.

namespace tacet::mpc {

using mpc_model::FixedFunction;
using mpc_model::FixedPlan;

/// The polynomial of 2 t^2 - 1.
static auto of_square(Party& party, Polynomial polynomial, const Share& t, unsigned inner,
                      Truncation how) -> Task<Share> {
  Share square = co_await party.protocol().multiply_truncate(party, t, t, inner - 1, how);
  square = party.protocol().add_constant(party, square, 0 - (Word128{1} << inner));
  Share result = co_await evaluate_polynomial(party, polynomial, square, inner, how);
  co_return result;
}

/// 2^128 / (2 pi).
static constexpr Word128 kCircle = Word128{0x28be60db9391054a} << 64 | 0x7f09d5f47d4d3770;

/// x as an angle whose full circle is the whole ring; odd, so that no right angle is met exactly.
/// Local; the angle is off by at most |X| 2^-64, or 2^-128, of a full circle for the integer X that
/// x is held as.
static auto angle_of(Party& party, const Share& x, unsigned fraction_bits) -> Share {
  const Word128 constant = kCircle >> (128 - n_bits(x.ring()) + fraction_bits);
  const Share even = scale(x, (constant + 1) & ~Word128{1});
  return party.protocol().add_constant(party, even, 1);
}

/// Where the two highest bits of the angle w differ it is more than a right angle from 0, and its
/// sine is that of a straight angle less w.
static auto sine_of_angle(Party& party, Share w, const FixedPlan& plan, FixedPoint format)
    -> Task<Share> {
  const size_t n = w.size();
  const Ring ring = w.ring();
  const unsigned width = n_bits(ring);
  const unsigned inner = plan.inner_bits;
  const std::array<Share, 2> both = {w, shift_left(w, 1)};
  const Bits tops = co_await top_bit(party, concatenate(both), width);
  const Bits is_beyond = exclusive_or(slice(tops, 0, n), slice(tops, n, n));
  Share beyond = co_await bits_to_arithmetic(party, is_beyond, ring);
  const Share change =
      party.protocol().add_constant(party, negate(shift_left(w, 1)), Word128{1} << (width - 1));
  Share near = co_await multiply(party, beyond, change);
  near = add(near, w);
  Share t = co_await truncate(party, near, width - 2 - inner, format.truncation);
  Share slope = co_await of_square(party, Polynomial::Sine, t, inner, format.truncation);
  Share result = co_await multiply_shifted(
      party, t, slope, static_cast<int>(2 * inner - format.fraction_bits), format.truncation);
  co_return result;
}

auto sine(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const FixedPlan plan = plan_of(FixedFunction::Sin, {n_bits(x.ring()), format.fraction_bits});
  return sine_of_angle(party, angle_of(party, x, format.fraction_bits), plan, format);
}

/// cos(x) = sin(x + pi / 2).
auto cosine(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const FixedPlan plan = plan_of(FixedFunction::Cos, {n_bits(x.ring()), format.fraction_bits});
  const Share angle = angle_of(party, x, format.fraction_bits);
  const Share later =
      party.protocol().add_constant(party, angle, Word128{1} << (n_bits(x.ring()) - 2));
  return sine_of_angle(party, later, plan, format);
}

/// Where it is 1 or -1 within the errors of a ring, and x as a part of that.
struct ErfScale {
  int64_t end;
  Share t;
};
static auto erf_scale(Party& party, const Share& x, unsigned inner, FixedPoint format)
    -> Task<ErfScale> {
  const unsigned f = format.fraction_bits;
  if (x.ring() == Ring::Z64) {
    co_return ErfScale{.end = int64_t{4} << f, .t = shift_left(x, inner - 2 - f)};
  }
  constexpr unsigned kSixthBits = 60;
  const Word128 sixth = ((Word128{1} << kSixthBits) + 3) / 6;
  Share t = co_await truncate(party, scale(x, sixth), kSixthBits + f - inner, format.truncation);
  co_return ErfScale{.end = int64_t{6} << f, .t = t};
}

auto error_function(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const Ring ring = x.ring();
  const unsigned f = format.fraction_bits;
  const FixedPlan plan = plan_of(FixedFunction::Erf, {n_bits(ring), f});
  const unsigned inner = plan.inner_bits;
  const ErfScale scaled = co_await erf_scale(party, x, inner, format);
  const Outside out = co_await outside(party, x, -scaled.end, scaled.end);
  const std::array<Bits, 2> planes = {out.below, out.above};
  const std::vector<Share> beyond = co_await planes_to_numbers(party, stack_planes(planes), ring);
  const Share is_near = one_without(party, add(beyond[0], beyond[1]));
  const Polynomial polynomial = ring == Ring::Z64 ? Polynomial::Erf : Polynomial::WideErf;
  auto [t, slope] = co_await all(multiply(party, scaled.t, is_near),
                                 of_square(party, polynomial, scaled.t, inner, format.truncation));
  Share result = co_await multiply_shifted(party, t, slope, static_cast<int>(2 * inner - f),
                                           format.truncation);
  co_return add(result, shift_left(subtract(beyond[1], beyond[0]), f));
}

}  // namespace tacet::mpc
