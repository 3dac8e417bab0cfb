#include "engine/mpc_model/fixed_point.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace tacet::mpc_model {

namespace {

/// A product of two numbers with inner bits, or of one and a coefficient, has to fit.
constexpr unsigned kFineInnerBits = 28;
constexpr unsigned kFinestInnerBits = 44;
/// What fits in a number of the language, without its sign.
constexpr unsigned kNumberBits = 63;

/// A quotient is the product of a dividend scaled by the same power of two as the divisor and the
/// reciprocal of the scaled divisor. Modulo 2^64 the bits of the dividend behind the point and
/// those of the reciprocal share what is left beside a quotient of 2f bits.
auto plan_of_quotient(FixedFormat format) -> FixedPlan {
  const unsigned n = format.ring_bits - 2;
  const unsigned f = format.fraction_bits;
  if (format.ring_bits > 64) {
    return {
        .inner_bits = kFinestInnerBits, .operand_bits = kNumberBits, .result_bits = kNumberBits};
  }
  return {.inner_bits = std::min(n - 2 * f - 2, kFineInnerBits),
          .operand_bits = n - f,
          .result_bits = 2 * f};
}

auto power(int exponent) -> double {
  return std::ldexp(1.0, exponent);
}

}  // namespace

auto fixed_function_name(FixedFunction function) -> std::string_view {
  static constexpr std::array<std::string_view, 11> kNames = {
      "divide",  "reciprocal", "sqrt", "rsqrt", "exp", "log",
      "sigmoid", "tanh",       "erf",  "sin",   "cos"};
  return kNames[static_cast<size_t>(function)];
}

auto is_supported(FixedFormat format) -> bool {
  const bool is_narrow = format.ring_bits == 64 && format.fraction_bits <= 20;
  const bool is_wide = format.ring_bits == 128 && format.fraction_bits <= 40;
  return format.fraction_bits >= 8 && (is_narrow || is_wide);
}

auto plan_of(FixedFunction function, FixedFormat format) -> FixedPlan {
  TACET_CHECK(is_supported(format), "a format that the functions of fixed point lack");
  const unsigned n = format.ring_bits - 2;  // words are below a quarter of the ring in size
  const unsigned f = format.fraction_bits;
  const bool is_wide = format.ring_bits > 64;
  const unsigned operand = is_wide ? kNumberBits : n;
  switch (function) {
    case FixedFunction::Divide:
    case FixedFunction::Reciprocal:
      return plan_of_quotient(format);
    case FixedFunction::Sqrt:
    case FixedFunction::Rsqrt:
      // The root is multiplied by a power of two of half as many bits as the operand has.
      return {.inner_bits = is_wide ? kFinestInnerBits : n - 1 - (operand + 1) / 2,
              .operand_bits = operand,
              .result_bits =
                  function == FixedFunction::Sqrt ? (operand + f + 1) / 2 : (3 * f + 1) / 2 + 1};
    case FixedFunction::Log:
      return {.inner_bits = is_wide ? kFinestInnerBits : 30,
              .operand_bits = operand,
              .result_bits = f + 6};
    case FixedFunction::Exp:
      // Powers of two from 2^-(f + 1) on are behind the point.
      return {.inner_bits = is_wide ? kFinestInnerBits : std::min(n - 2 * f - 2, kFineInnerBits),
              .operand_bits = f + (is_wide ? 24U : 12U),
              .result_bits = is_wide ? kNumberBits : 2 * f + 1};
    case FixedFunction::Sigmoid:
    case FixedFunction::Tanh:
      return {.inner_bits = is_wide ? kFinestInnerBits : kFineInnerBits,
              .operand_bits = f + (is_wide ? 24U : 12U),
              .result_bits = f + 1};
    case FixedFunction::Erf:
      return {.inner_bits = is_wide ? kFinestInnerBits : kFineInnerBits,
              .operand_bits = operand,
              .result_bits = f + 1};
    case FixedFunction::Sin:
    case FixedFunction::Cos:
      // A full circle is the whole ring, and what a unit is of it is rounded.
      return {.inner_bits = is_wide ? kFinestInnerBits : kFineInnerBits,
              .operand_bits = is_wide ? kNumberBits : 57 - f,
              .result_bits = f + 1};
  }
  TACET_CHECK(false, "unknown function");
}

auto bound_of(FixedFunction function, FixedFormat format) -> FixedBound {
  const FixedPlan plan = plan_of(function, format);
  const auto f = static_cast<int>(format.fraction_bits);
  const auto inner = static_cast<int>(plan.inner_bits);
  FixedBound bound;
  bound.least = power(-f);
  bound.greatest = power(static_cast<int>(plan.operand_bits) - f) - power(-f);
  bound.greatest_result = power(static_cast<int>(plan.result_bits) - f);
  switch (function) {
    case FixedFunction::Divide:
    case FixedFunction::Reciprocal:
      bound.units = 3;
      bound.relative = power(3 - inner);
      break;
    case FixedFunction::Sqrt:
      bound.least = 0;
      bound.units = 2;
      bound.relative = power(4 - inner);
      break;
    case FixedFunction::Rsqrt:
      bound.units = 2;
      bound.relative = power(5 - inner);
      break;
    case FixedFunction::Log:
      bound.units = 1 + power(f + 5 - inner);
      break;
    case FixedFunction::Exp:
      bound.least = 0;
      bound.greatest = power(static_cast<int>(kNumberBits) - f);
      bound.units = 2;
      bound.relative = power(4 - inner);
      break;
    case FixedFunction::Sigmoid:
      bound.least = 0;
      bound.greatest = power(static_cast<int>(kNumberBits) - f);
      bound.units = 1 + power(f + 4 - inner);
      break;
    case FixedFunction::Tanh:
      bound.least = 0;
      bound.greatest = power(static_cast<int>(kNumberBits) - f);
      bound.units = 1 + power(f + 5 - inner);
      break;
    case FixedFunction::Erf:
      bound.least = 0;
      bound.greatest = power(static_cast<int>(kNumberBits) - f);
      bound.units = 1 + power(f + 5 - inner);
      break;
    case FixedFunction::Sin:
    case FixedFunction::Cos:
      bound.least = 0;
      bound.units = 1 + power(f + 5 - inner) + power(-4);
      break;
  }
  return bound;
}

}  // namespace tacet::mpc_model
