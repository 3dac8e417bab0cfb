#pragma once

#include "engine/mpc/protocol.h"

/// Sums of secret bits. Every conjunction of a level is one message; levels are as few as there can
/// be.
namespace tacet::mpc {

/// sum + 2 · carry modulo 2^width, in ceil(log2(width - 1)) levels: a prefix circuit of the fewest
/// levels, by Sklansky ("Conditional-Sum Addition Logic"), with 310 conjunctions for 64 bits.
auto add_carries(Party& party, HalfSum half) -> Task<Bits>;

/// The top bit of sum + 2 · carry alone, as one plane: a tree of carries, as deep, with 118
/// conjunctions for 64 bits.
auto top_bit(Party& party, HalfSum half) -> Task<Bits>;

/// A number as bits: its low `width` bits. A half sum and its carries.
auto to_bits(Party& party, Share x, unsigned width) -> Task<Bits>;
/// Bit width - 1 of a number: its sign, if it has that width.
auto top_bit(Party& party, Share x, unsigned width) -> Task<Bits>;

/// x + y modulo 2^width, of two numbers given as bits.
auto add_bits(Party& party, Bits x, Bits y) -> Task<Bits>;
/// x - y, and whether x < y as unsigned numbers: the borrow, one plane.
struct Difference {
  Bits value;
  Bits borrow;
};
auto subtract_bits(Party& party, Bits x, Bits y) -> Task<Difference>;

/// The conjunction and the disjunction of all planes: one plane, in ceil(log2(width)) levels.
auto all_of_planes(Party& party, Bits x) -> Task<Bits>;
auto any_of_planes(Party& party, Bits x) -> Task<Bits>;
/// Plane p of the result is the disjunction of the planes from p on: ones from the highest set bit
/// down. ceil(log2(width)) levels.
auto suffix_or(Party& party, Bits x) -> Task<Bits>;

/// How many of the planes are set, as a number of as many bits as that takes; a tree of adders.
auto count_planes(Party& party, Bits x) -> Task<Bits>;

}  // namespace tacet::mpc
