#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/fixed_point/polynomial.h"
#include "engine/mpc/fixed_point/scaling.h"

// Roots, by an even power of two that brings the argument to [1/4, 1].

namespace tacet::mpc {

using mpc_model::FixedFunction;
using mpc_model::FixedPlan;

/// sqrt(2) * 2^60.
static constexpr int64_t kRootOfTwo = 1630477228166597777;
static constexpr int64_t kOne = int64_t{1} << 60;

namespace {

/// What scales an argument X of e bits, for h = ceil(e / 2).
struct RootScale {
  Share argument;     ///< X * 4^-h, with the plan's inner bits
  Share power;        ///< of two, for the result; 0 if X is not positive
  Share is_positive;  ///< X
};

}  // namespace

/// X * 4^-h, from the bits of H - h for the greatest h, H.
static auto scaled_argument(Party& party, Share x, std::vector<Share> exponent,
                            const FixedPlan& plan, Truncation how) -> Task<Share> {
  const auto greatest = static_cast<int>((plan.operand_bits + 1) / 2);
  Share power = co_await product_of(party, power_factors(party, exponent, 2));
  const int shift = 2 * greatest - static_cast<int>(plan.inner_bits);
  Share argument = co_await multiply_shifted(party, x, power, shift, how);
  co_return argument;
}

/// By 2^(H - h), or, for roots themselves, by 2^h.
static auto root_scale(Party& party, Share x, const FixedPlan& plan, FixedFunction function,
                       Truncation how) -> Task<RootScale> {
  const unsigned width = plan.operand_bits;
  const bool is_root = function == FixedFunction::Sqrt;
  const Ring ring = x.ring();
  Bits bits = co_await to_bits(party, x, 64);
  Bits length = co_await length_planes(party, plane_range(bits, 0, width));
  std::vector<unsigned> halves;
  std::vector<unsigned> rests;
  for (unsigned e = 0; e <= width; ++e) {
    halves.push_back((e + 1) / 2);
    rests.push_back((width + 1) / 2 - halves.back());
  }
  std::vector<Bits> planes = {chosen_bits(length, rests)};
  const unsigned n_rest = planes[0].width();
  if (is_root) {
    planes.push_back(chosen_bits(length, halves));
  }
  planes.push_back(plane_range(length, 0, 1));
  planes.push_back(plane_range(bits, 63, 1));
  std::vector<Share> numbers = co_await planes_to_numbers(party, stack_planes(planes), ring);
  const Share is_nonnegative = one_without(party, numbers.back());
  numbers.pop_back();
  const Share is_nonzero = one_without(party, numbers.back());
  numbers.pop_back();
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(n_rest);
  std::vector<Share> rest(numbers.begin(), middle);
  std::vector<Share> factors = is_root
                                   ? power_factors(party, std::vector<Share>(middle, numbers.end()))
                                   : power_factors(party, rest);
  factors.push_back(is_nonnegative);
  factors.push_back(is_nonzero);
  auto [argument, power, is_positive] = co_await all(
      scaled_argument(party, x, std::move(rest), plan, how), product_of(party, std::move(factors)),
      multiply(party, is_nonnegative, is_nonzero));
  RootScale scale;
  scale.argument = argument;
  scale.power = power;
  scale.is_positive = is_positive;
  co_return scale;
}

/// t = 2 c - 5/4.
static auto centred(Party& party, const Share& c, unsigned inner_bits) -> Share {
  return party.protocol().add_constant(party, shift_left(c, 1),
                                       0 - (Word128{5} << (inner_bits - 2)));
}

/// sqrt(X 2^f) = sqrt(c) * 2^h * 2^(f/2).
auto square_root(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const unsigned f = format.fraction_bits;
  const FixedPlan plan = plan_of(FixedFunction::Sqrt, {n_bits(x.ring()), f});
  RootScale scale = co_await root_scale(party, x, plan, FixedFunction::Sqrt, format.truncation);
  Share root = co_await evaluate_polynomial(
      party, Polynomial::Sqrt, centred(party, scale.argument, plan.inner_bits), plan.inner_bits,
      format.truncation, f % 2 == 0 ? kOne : kRootOfTwo);
  const int shift = static_cast<int>(plan.inner_bits) - static_cast<int>(f / 2);
  Share result = co_await multiply_shifted(party, root, scale.power, shift, format.truncation);
  co_return result;
}

/// 2^f / sqrt(X 2^-f) = 1 / sqrt(c) * 2^(H - h) * 2^(3f/2 - H); the greatest number of what is not
/// positive.
auto reciprocal_square_root(Party& party, Share x, FixedPoint format) -> Task<Share> {
  const unsigned f = format.fraction_bits;
  const FixedPlan plan = plan_of(FixedFunction::Rsqrt, {n_bits(x.ring()), f});
  RootScale scale = co_await root_scale(party, x, plan, FixedFunction::Rsqrt, format.truncation);
  Share root = co_await evaluate_polynomial(
      party, Polynomial::Rsqrt, centred(party, scale.argument, plan.inner_bits), plan.inner_bits,
      format.truncation, f % 2 == 0 ? kOne : kRootOfTwo);
  const int shift =
      static_cast<int>(plan.inner_bits + (plan.operand_bits + 1) / 2) - static_cast<int>(3 * f / 2);
  Share result = co_await multiply_shifted(party, root, scale.power, shift, format.truncation);
  co_return add(result, mpc::scale(one_without(party, scale.is_positive), kGreatestNumber));
}

}  // namespace tacet::mpc
