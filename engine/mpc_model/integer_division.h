#pragma once

#include "engine/mpc_model/protocol_costs.h"

/// Quotients of integers by reciprocals (engine/mpc/fixed_point/integer_division.h), without
/// shares.
namespace tacet::mpc_model {

/// How integers of a width are divided.
struct DivisionPlan {
  unsigned ring_bits = 64;   ///< of the ring that they are computed in
  unsigned inner_bits = 26;  ///< behind the point of the reciprocal
  /// Whether a first quotient removes most of the dividend: the remainder is small enough for the
  /// reciprocal to be exact.
  bool has_two_steps = false;
  unsigned lost_bits = 0;  ///< of the scaled dividend in the first step, so that products fit
};

/// Bits behind the point of the scaled rest in the last step.
inline constexpr unsigned kGuardBits = 4;

/// Of 8, 16, 32 and 64 bits.
auto division_plan(unsigned width) -> DivisionPlan;

enum class DivisionPart : bool { Quotient, Remainder };

/// `n` quotients or remainders of numbers of `width` bits that are held in words of `ring`.
auto divide_integers(const ProtocolCosts& protocol, unsigned width, bool is_signed, uint64_t n,
                     unsigned ring, DivisionPart part) -> Cost;

}  // namespace tacet::mpc_model
