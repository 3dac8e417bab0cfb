#pragma once

#include "engine/mpc/circuits/integers.h"

namespace tacet::mpc {

struct Quotient {
  Share quotient;
  Share remainder;
};

/// x / y truncated towards zero, and x - y (x / y). Where y is zero the quotient is x and the
/// remainder 0, as the language has it for what a secret steers; the least number by -1 is itself.
///
/// Digit by digit from the top, in the bits of both: a step subtracts y from what is left, of which
/// step k has k + 1 bits, and keeps the difference if nothing was borrowed. About
/// width · (2 + log2(width)) rounds.
auto divide(Party& party, Share x, Share y, IntegerType type) -> Task<Quotient>;

/// The same of unsigned numbers given as bits, for a divisor that is not zero: the quotient's bits.
auto divide_bits(Party& party, Bits x, Bits y) -> Task<Bits>;

}  // namespace tacet::mpc
