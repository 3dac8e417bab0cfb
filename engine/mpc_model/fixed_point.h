#pragma once

#include <cstdint>
#include <string_view>

#include "engine/mpc_model/protocol_costs.h"

/// What can be said of the functions of fixed point (engine/mpc/fixed_point) without shares: the
/// arguments that they take, how exact they are, and what they cost.
namespace tacet::mpc_model {

enum class FixedFunction : uint8_t {
  Divide,
  Reciprocal,
  Sqrt,
  Rsqrt,
  Exp,
  Log,
  Sigmoid,
  Tanh,
  Erf,
  Sin,
  Cos
};

auto fixed_function_name(FixedFunction function) -> std::string_view;

/// Numbers x as integers x * 2^fraction_bits modulo 2^ring_bits; the ring has 64 or 128 bits.
struct FixedFormat {
  unsigned ring_bits = 64;
  unsigned fraction_bits = 18;

  friend auto operator==(const FixedFormat&, const FixedFormat&) -> bool = default;
};

/// How a function computes inside. Numbers are held scaled to around one, with `inner_bits` bits
/// behind the point.
struct FixedPlan {
  unsigned inner_bits = 0;
  /// The argument, or the divisor, is below 2^operand_bits in size, as the integer that it is held
  /// as.
  unsigned operand_bits = 0;
  /// So is the result.
  unsigned result_bits = 0;
};

auto plan_of(FixedFunction function, FixedFormat format) -> FixedPlan;

/// Can numbers of this format be given to the functions? With 8 to 20 fraction bits those modulo
/// 2^64 can, and with 8 to 40 those modulo 2^128.
auto is_supported(FixedFormat format) -> bool;

/// For arguments x, of quotients for divisors, with least <= |x| <= greatest, and for those with
/// -greatest <= x of `Exp`, that have a result of a size below `greatest_result`:
///
///     |result - exact| <= units * 2^-fraction_bits + relative * |exact|
///
/// Arguments of `Rsqrt` and `Log` are positive; `Sqrt` is 0 of 0 and of what is negative.
/// Elsewhere: `Log` of what is not positive is the least number of 64 bits, and `Rsqrt` of that,
/// `Reciprocal` of 0 and, modulo 2^128, `Exp` of what is too large are the greatest, within two
/// units.
struct FixedBound {
  double least = 0;
  double greatest = 0;
  double greatest_result = 0;
  double units = 0;
  double relative = 0;
};

auto bound_of(FixedFunction function, FixedFormat format) -> FixedBound;

/// What `n` of them take, with exact truncation.
auto cost_of(const ProtocolCosts& protocol, FixedFunction function, FixedFormat format, uint64_t n)
    -> Cost;

}  // namespace tacet::mpc_model
