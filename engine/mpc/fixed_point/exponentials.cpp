#include <bit>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/fixed_point/polynomial.h"
#include "engine/mpc/fixed_point/scaling.h"

// Exponentials as powers of two: of the integer by its bits, of the fraction by a polynomial.

namespace tacet::mpc {

using mpc_model::FixedFunction;
using mpc_model::FixedPlan;

/// log2(e) and ln(2) times 2^60.
static constexpr uint64_t kLog2OfE = 1663314137230540311;
static constexpr uint64_t kLn2 = 799144290325165979;

/// `constant`, which has 60 bits behind the point, with `bits` of them.
static auto rounded_constant(uint64_t constant, unsigned bits) -> Word128 {
  const unsigned shift = 60 - bits;
  return (constant + (uint64_t{1} << (shift - 1))) >> shift;
}

/// x log2(e) with the plan's inner bits.
static auto to_power_of_two(Party& party, Share x, const FixedPlan& plan, FixedPoint format)
    -> Task<Share> {
  const unsigned bits = std::min(plan.inner_bits + 3, n_bits(x.ring()) - 4 - plan.operand_bits);
  const Share product = scale(x, rounded_constant(kLog2OfE, bits));
  Share result = co_await truncate(party, product, format.fraction_bits + bits - plan.inner_bits,
                                   format.truncation);
  co_return result;
}

/// The number that bits make, times 2^shift. Local.
static auto weighted(std::span<const Share> bits, unsigned shift) -> Share {
  Share sum = shift_left(bits[0], shift);
  for (unsigned j = 1; j < bits.size(); ++j) {
    sum = add(sum, shift_left(bits[j], shift + j));
  }
  return sum;
}

/// From `below` on, e^x is a unit at least; from `above` on it is not a number of the plan's
/// results. Where the bits of the result are those of a number, a result that is rounded up must be
/// one too: the last argument counts as above if it is too close.
struct ExpRange {
  int64_t below;
  int64_t above;
};
static auto exp_range(const FixedPlan& plan, unsigned f) -> ExpRange {
  const unsigned shift = 60 - f;
  const Word128 above = Word128{plan.result_bits - f} * kLn2;
  const Word128 rest = above & ((Word128{1} << shift) - 1);
  constexpr Word128 kTooClose = Word128{1} << 21;  // 2^-39 of the result
  return {.below = -static_cast<int64_t>(Word128{f} * kLn2 >> shift),
          .above = static_cast<int64_t>(above >> shift) + (rest < kTooClose ? 0 : 1)};
}

/// Sigmoids of numbers beyond 2^kSaturatedBits are 0 or 1; twice as much is within every plan.
constexpr unsigned kSaturatedBits = 11;

/// How many bits a number x log2(e) of the plan has in front of the point, without its sign.
static auto integer_bits(const FixedPlan& plan, FixedPoint format) -> unsigned {
  return plan.operand_bits - format.fraction_bits + 1;
}

/// The bits of x log2(e) + m, and that number.
struct PowerBits {
  Share power;
  Bits bits;
};
static auto power_bits(Party& party, Share x, const FixedPlan& plan, unsigned least, unsigned width,
                       FixedPoint format) -> Task<PowerBits> {
  Share power = co_await to_power_of_two(party, x, plan, format);
  power = party.protocol().add_constant(party, power, Word128{least} << plan.inner_bits);
  Bits bits = co_await to_bits(party, power, width);
  co_return PowerBits{.power = power, .bits = bits};
}

/// 2^n 2^u of the integer n and the fraction u of x log2(e) + m, where 2^-m is half a unit; 0 where
/// that is less than a unit, and the greatest number where it is none.
auto exponential(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const unsigned f = format.fraction_bits;
  const Ring ring = x.ring();
  const FixedPlan plan = plan_of(FixedFunction::Exp, {n_bits(ring), f});
  const unsigned inner = plan.inner_bits;
  const unsigned least = f + 1;
  const auto n_integer = static_cast<unsigned>(std::bit_width(least + plan.result_bits - f));
  const ExpRange range = exp_range(plan, f);
  auto [exponent, out] = co_await all(power_bits(party, x, plan, least, inner + n_integer, format),
                                      outside(party, x, range.below, range.above));
  const Bits is_kept = party.protocol().complement(party, exclusive_or(out.below, out.above));
  const std::vector<Bits> planes = {plane_range(exponent.bits, inner, n_integer), is_kept,
                                    out.above};
  std::vector<Share> numbers = co_await planes_to_numbers(party, stack_planes(planes), ring);
  const Share is_above = numbers.back();
  numbers.pop_back();
  const Share keep = numbers.back();
  numbers.pop_back();
  // t = 2 u - 1.
  const Share fraction = subtract(exponent.power, weighted(numbers, inner));
  const Share t =
      party.protocol().add_constant(party, shift_left(fraction, 1), 0 - (Word128{1} << inner));
  std::vector<Share> factors = power_factors(party, numbers);
  factors.push_back(keep);
  auto [scale_of, of_fraction] =
      co_await all(product_of(party, std::move(factors)),
                   evaluate_polynomial(party, Polynomial::Exp2, t, inner, format.truncation));
  Share result = co_await multiply_shifted(party, scale_of, of_fraction,
                                           static_cast<int>(inner + least - f), format.truncation);
  co_return add(result, scale(is_above, kGreatestNumber));
}

/// ln(c) + (e - f) ln(2) of X = c 2^e; the least number of what is not positive.
auto logarithm(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const unsigned f = format.fraction_bits;
  const Ring ring = x.ring();
  const FixedPlan plan = plan_of(FixedFunction::Log, {n_bits(ring), f});
  const unsigned inner = plan.inner_bits;
  const unsigned width = plan.operand_bits;
  Bits bits = co_await to_bits(party, x, 64);
  Bits length = co_await length_planes(party, plane_range(bits, 0, width));
  std::vector<unsigned> rests;
  for (unsigned e = 0; e <= width; ++e) {
    rests.push_back(width - e);
  }
  const std::vector<Bits> planes = {chosen_bits(length, rests), plane_range(length, 0, 1),
                                    plane_range(bits, 63, 1)};
  std::vector<Share> numbers = co_await planes_to_numbers(party, stack_planes(planes), ring);
  const Share is_nonnegative = one_without(party, numbers.back());
  numbers.pop_back();
  const Share is_nonzero = one_without(party, numbers.back());
  numbers.pop_back();
  auto [power, is_positive] = co_await all(product_of(party, power_factors(party, numbers)),
                                           multiply(party, is_nonnegative, is_nonzero));
  Share scaled = co_await multiply_shifted(
      party, x, power, static_cast<int>(width) - static_cast<int>(inner), format.truncation);
  // t = 4 c - 3.
  const Share t =
      party.protocol().add_constant(party, shift_left(scaled, 2), 0 - (Word128{3} << inner));
  Share of_mantissa =
      co_await evaluate_polynomial(party, Polynomial::Log, t, inner, format.truncation);
  const Word128 ln2 = rounded_constant(kLn2, inner);
  const Share exponent =
      party.protocol().add_constant(party, negate(weighted(numbers, 0)), Word128{width} - f);
  const Share sum = add(of_mantissa, scale(exponent, ln2));
  Share result = co_await multiply_shifted(party, sum, is_positive, static_cast<int>(inner - f),
                                           format.truncation);
  co_return add(result, scale(one_without(party, is_positive), kLeastNumber));
}

/// 1 unless one of the planes is set.
static auto none_of(Party& party, Bits x, Ring ring) -> Task<Share> {
  Bits any = co_await any_of_planes(party, std::move(x));
  Share result = co_await bits_to_arithmetic(party, party.protocol().complement(party, any), ring);
  co_return result;
}

/// 2^(L - n) for the bits of L - n, or 0 if a plane of `beyond` is set.
static auto decayed_power(Party& party, std::vector<Share> bits, Bits beyond) -> Task<Share> {
  const Ring ring = bits[0].ring();
  auto [power, keep] = co_await all(product_of(party, power_factors(party, bits)),
                                    none_of(party, std::move(beyond), ring));
  Share result = co_await multiply(party, power, keep);
  co_return result;
}

/// sigmoid(2^doublings x) with one bit more behind the point than the plan has inside: 1 / (1 + d)
/// for positive x, where d = e^-|x|, and the rest to 1 for negative ones. Those are taken as the
/// complement of their bits, which is |x| but for one unit of the inner bits. Where x is beyond the
/// plan d is 0.
static auto inner_sigmoid(Party& party, Share x, unsigned doublings, const FixedPlan& plan,
                          FixedPoint format) -> Task<Share> {
  const Ring ring = x.ring();
  const unsigned inner = plan.inner_bits;
  const unsigned n_integer = ring == Ring::Z128 ? 6 : 5;
  const unsigned longest = (1U << n_integer) - 1;
  const unsigned width = inner + integer_bits(plan, format) + 1;
  const int64_t limit = int64_t{1} << (format.fraction_bits + kSaturatedBits);
  auto [exponent, out] =
      co_await all(power_bits(party, shift_left(x, doublings), plan, 0, width, format),
                   outside(party, x, -limit, limit));
  const Share& power = exponent.power;
  // That of the power, but for x beyond the plan.
  const Bits& sign = out.is_negative;
  const Bits size =
      exclusive_or(plane_range(exponent.bits, 0, width - 1), repeat_plane(sign, 0, width - 1));
  const Bits rest = party.protocol().complement(party, plane_range(size, inner, n_integer));
  const std::vector<Bits> planes = {rest, sign};
  std::vector<Share> numbers = co_await planes_to_numbers(party, stack_planes(planes), ring);
  const Share is_negative = numbers.back();
  numbers.pop_back();
  // |x log2(e)| = n + u; t = 1 - 2 u gives 2^(1 - u).
  Share absolute = co_await multiply(party, power, one_or(party, is_negative, ~Word128{0}));
  absolute = subtract(absolute, is_negative);
  const Share integer = party.protocol().add_constant(party, negate(weighted(numbers, inner)),
                                                      Word128{longest} << inner);
  const Share fraction = subtract(absolute, integer);
  const Share t =
      party.protocol().add_constant(party, negate(shift_left(fraction, 1)), Word128{1} << inner);
  const unsigned first_beyond = inner + n_integer;
  const std::vector<Bits> beyond = {plane_range(size, first_beyond, width - 1 - first_beyond),
                                    exclusive_or(out.below, out.above)};
  auto [scale_of, of_fraction] =
      co_await all(decayed_power(party, std::move(numbers), stack_planes(beyond)),
                   evaluate_polynomial(party, Polynomial::Exp2, t, inner, format.truncation));
  Share decay = co_await multiply_shifted(party, scale_of, of_fraction,
                                          static_cast<int>(longest + 1), format.truncation);
  // 1 / (1 + d) is half of 1 / c for c = (1 + d) / 2; t = 4 c - 3.
  const Share centred =
      party.protocol().add_constant(party, shift_left(decay, 1), 0 - (Word128{1} << inner));
  Share positive = co_await evaluate_polynomial(party, Polynomial::Reciprocal, centred, inner,
                                                format.truncation);
  const Share difference = party.protocol().add_constant(party, negate(shift_left(positive, 1)),
                                                         Word128{1} << (inner + 1));
  Share change = co_await multiply(party, difference, is_negative);
  co_return add(positive, change);
}

auto sigmoid(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const FixedPlan plan = plan_of(FixedFunction::Sigmoid, {n_bits(x.ring()), format.fraction_bits});
  Share value = co_await inner_sigmoid(party, x, 0, plan, format);
  Share result = co_await truncate(party, value, plan.inner_bits + 1 - format.fraction_bits,
                                   format.truncation);
  co_return result;
}

/// tanh(x) = 2 sigmoid(2 x) - 1.
auto hyperbolic_tangent(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const FixedPlan plan = plan_of(FixedFunction::Tanh, {n_bits(x.ring()), format.fraction_bits});
  Share value = co_await inner_sigmoid(party, x, 1, plan, format);
  value = party.protocol().add_constant(party, value, 0 - (Word128{1} << plan.inner_bits));
  Share result =
      co_await truncate(party, value, plan.inner_bits - format.fraction_bits, format.truncation);
  co_return result;
}

auto evaluate(Party& party, FixedFunction function, Share x, FixedPoint format) -> Task<Share> {
  switch (function) {
    case FixedFunction::Reciprocal:
      return reciprocal(party, std::move(x), format);
    case FixedFunction::Sqrt:
      return square_root(party, std::move(x), format);
    case FixedFunction::Rsqrt:
      return reciprocal_square_root(party, std::move(x), format);
    case FixedFunction::Exp:
      return exponential(party, std::move(x), format);
    case FixedFunction::Log:
      return logarithm(party, std::move(x), format);
    case FixedFunction::Sigmoid:
      return sigmoid(party, std::move(x), format);
    case FixedFunction::Tanh:
      return hyperbolic_tangent(party, std::move(x), format);
    case FixedFunction::Erf:
      return error_function(party, std::move(x), format);
    case FixedFunction::Sin:
      return sine(party, std::move(x), format);
    case FixedFunction::Cos:
      return cosine(party, std::move(x), format);
    case FixedFunction::Divide:
      break;
  }
  TACET_CHECK(false, "a quotient has two operands");
}

}  // namespace tacet::mpc
