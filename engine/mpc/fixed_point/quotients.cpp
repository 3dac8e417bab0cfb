#include <bit>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/fixed_point/polynomial.h"
#include "engine/mpc/fixed_point/scaling.h"

// Quotients: dividend and divisor times a power of two that brings the divisor to [1/2, 1], and the
// reciprocal there.

namespace tacet::mpc {

using mpc_model::FixedFunction;
using mpc_model::FixedPlan;

struct SignedPower {
  Share power;
  Share is_zero;  ///< y; only on request
};

/// 2^(width - e) for |y| of e bits, with the sign of y. A negative y is taken as |y| - 1, which is
/// the complement of its bits: so |y| times the power is up to 2^width, and not below.
static auto signed_power(Party& party, Share y, unsigned width, bool finds_zero)
    -> Task<SignedPower> {
  const Ring ring = y.ring();
  Bits bits = co_await to_bits(party, y, width + 1);
  const Bits sign = plane_range(bits, width, 1);
  const Bits size = exclusive_or(plane_range(bits, 0, width), repeat_plane(bits, width, width));
  Bits length = co_await length_planes(party, size);
  std::vector<unsigned> exponents;
  for (unsigned e = 0; e <= width; ++e) {
    exponents.push_back(width - e);
  }
  std::vector<Bits> planes = {chosen_bits(length, exponents), sign};
  if (finds_zero) {
    planes.push_back(plane_range(length, 0, 1));  // of -1, too
  }
  std::vector<Share> numbers = co_await planes_to_numbers(party, stack_planes(planes), ring);
  Share has_no_bits;
  if (finds_zero) {
    has_no_bits = numbers.back();
    numbers.pop_back();
  }
  const Share is_negative = numbers.back();
  numbers.pop_back();
  std::vector<Share> factors = power_factors(party, numbers);
  factors.push_back(one_or(party, is_negative, ~Word128{0}));
  SignedPower result;
  if (finds_zero) {
    auto [power, is_zero] =
        co_await all(product_of(party, std::move(factors)),
                     multiply(party, has_no_bits, one_without(party, is_negative)));
    result = {.power = power, .is_zero = is_zero};
  } else {
    result.power = co_await product_of(party, std::move(factors));
  }
  co_return result;
}

/// How many bits the scaled dividend loses before it is multiplied by the reciprocal.
static auto lost_bits(const FixedPlan& plan, unsigned f, unsigned usable) -> int {
  const int scaled = static_cast<int>(plan.result_bits - f + plan.operand_bits);
  return std::max(0, scaled + static_cast<int>(plan.inner_bits) + 1 - static_cast<int>(usable));
}

/// `dividend` is scaled already, and has lost `lost` bits.
static auto quotient(Party& party, Share dividend, Share divisor, const FixedPlan& plan, int lost,
                     FixedPoint format) -> Task<Share> {
  // t = 4 c - 3.
  const Share t = party.protocol().add_constant(party, shift_left(divisor, 2),
                                                0 - (Word128{3} << plan.inner_bits));
  Share inverse = co_await evaluate_polynomial(party, Polynomial::Reciprocal, t, plan.inner_bits,
                                               format.truncation);
  const int shift = static_cast<int>(plan.operand_bits + plan.inner_bits) -
                    static_cast<int>(format.fraction_bits) - lost;
  Share result = co_await multiply_shifted(party, dividend, inverse, shift, format.truncation);
  co_return result;
}

auto divide(Party& party, Share x, Share y, FixedPoint format) -> Task<Share> {
  const unsigned ring_bits = n_bits(y.ring());
  const FixedPlan plan = plan_of(FixedFunction::Divide, {ring_bits, format.fraction_bits});
  const int lost = lost_bits(plan, format.fraction_bits, ring_bits - 2);
  const int to_inner = static_cast<int>(plan.operand_bits) - static_cast<int>(plan.inner_bits);
  const SignedPower scale = co_await signed_power(party, y, plan.operand_bits, false);
  const Share& power = scale.power;
  auto [dividend, divisor] =
      co_await all(multiply_shifted(party, x, power, lost, format.truncation),
                   multiply_shifted(party, y, power, to_inner, format.truncation));
  Share result = co_await quotient(party, dividend, divisor, plan, lost, format);
  co_return result;
}

auto reciprocal(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const unsigned ring_bits = n_bits(x.ring());
  const FixedPlan plan = plan_of(FixedFunction::Reciprocal, {ring_bits, format.fraction_bits});
  const int lost = lost_bits(plan, format.fraction_bits, ring_bits - 2);
  const int to_inner = static_cast<int>(plan.operand_bits) - static_cast<int>(plan.inner_bits);
  const SignedPower scale = co_await signed_power(party, x, plan.operand_bits, true);
  const Share& power = scale.power;
  // 0 for x of 0, whose reciprocal is the greatest number.
  const Share one = shift_left(power, format.fraction_bits);
  const Share is_nonzero = one_without(party, scale.is_zero);
  auto [dividend, divisor] =
      co_await all(multiply_shifted(party, one, is_nonzero, lost, format.truncation),
                   multiply_shifted(party, x, power, to_inner, format.truncation));
  Share result = co_await quotient(party, dividend, divisor, plan, lost, format);
  co_return add(result, mpc::scale(scale.is_zero, kGreatestNumber));
}

}  // namespace tacet::mpc
