#pragma once

#include "engine/mpc/circuits/integers.h"
#include "engine/mpc_model/integer_division.h"

namespace tacet::mpc {

/// x / y towards zero, or x % y with the sign of x, of integers of 8, 16, 32 or 64 bits; exact for
/// all of them. x / 0 is x and x % 0 is 0, and the least number by -1 is itself.
///
/// By a reciprocal r of the divisor that is scaled to c = |y| p / 2^L in [1/2, 1], p a power of
/// two, as in division of fixed-point numbers: |x| r p / 2^L is the quotient up to a relative error
/// e of less than 2^(5 - inner bits). Of wide numbers a first quotient, off by less than e |x / y|
/// + 2^(lost bits - 1) + 1, leaves a rest whose own quotient is so small that e of it is nothing.
/// What is computed last is the rest's quotient less 1/2: truncations and e put it within 1.1 of
/// that, so that it is the floor of the exact one, or one more or less. Two comparisons of the
/// remainder decide which: for 64 bits in 53 rounds of `aby3`, where digit by digit takes 491.
///
/// No product comes near a quarter of the ring (`division_plan`). Truncation is always exact.
auto divide_integers(Party& party, Share x, Share y, IntegerType type, mpc_model::DivisionPart part)
    -> Task<Share>;

}  // namespace tacet::mpc
