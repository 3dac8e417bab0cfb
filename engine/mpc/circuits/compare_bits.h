#pragma once

#include "engine/mpc/protocol.h"

/// Comparisons of numbers that are given as bits. Where many are compared with many, as in a sort,
/// the bits of each number are computed once.
namespace tacet::mpc {

/// x < y of unsigned numbers, as one plane. Three conjunctions a bit, in 1 + ceil(log2(width))
/// levels.
auto less_of_bits(Party& party, Bits x, Bits y) -> Task<Bits>;

}  // namespace tacet::mpc
