#pragma once

#include "engine/mpc/protocol.h"

/// Operators of the language on secret integers. A share holds them modulo its ring, of which only
/// the low `width` bits mean anything; so do results. Conditions are one plane of bits.
namespace tacet::mpc {

enum class Signedness : bool { Unsigned, Signed };

/// The type of the operands: `width` is at most that of the ring.
struct IntegerType {
  unsigned width = 64;
  Signedness signedness = Signedness::Signed;
};

/// What the caller knows of the operands of a comparison.
enum class Distance : bool {
  Any,
  /// x - y, as a signed number, does not overflow the width: one comparison of signs instead of
  /// three.
  Fits,
};

/// x < y. Exact for all operands, unless `distance` promises what is not so.
auto less(Party& party, Share x, Share y, IntegerType type, Distance distance = Distance::Any)
    -> Task<Bits>;
/// x <= y.
auto less_equal(Party& party, Share x, Share y, IntegerType type, Distance distance = Distance::Any)
    -> Task<Bits>;
/// x = y modulo 2^width.
auto equal(Party& party, Share x, Share y, unsigned width) -> Task<Bits>;
auto is_zero(Party& party, Share x, unsigned width) -> Task<Bits>;
/// The sign of signed numbers.
auto is_negative(Party& party, Share x, unsigned width) -> Task<Bits>;

/// x where the condition is set, y elsewhere: of numbers, and of bits.
auto select(Party& party, Bits condition, Share x, Share y) -> Task<Share>;
auto select_bits(Party& party, Bits condition, Bits x, Bits y) -> Task<Bits>;
/// A condition as 0 or 1.
auto to_number(Party& party, Bits condition, Ring ring) -> Task<Share>;

auto minimum(Party& party, Share x, Share y, IntegerType type, Distance distance = Distance::Any)
    -> Task<Share>;
auto maximum(Party& party, Share x, Share y, IntegerType type, Distance distance = Distance::Any)
    -> Task<Share>;
/// |x| of signed numbers; the least one stays.
auto absolute(Party& party, Share x, unsigned width) -> Task<Share>;
/// How many of the low `width` bits are set.
auto population_count(Party& party, Share x, unsigned width) -> Task<Share>;

/// The numbers as those of a type of `to_width` bits in `ring`, extended by `from` if that is more
/// than it has. To no more bits nothing is sent, as what is above the width never counts.
auto cast_integer(Party& party, Share x, IntegerType from, unsigned to_width, Ring ring)
    -> Task<Share>;
/// The number whose bits these are, in a ring at least as wide; signed ones are extended.
auto from_bits(Party& party, Bits x, Signedness signedness, Ring ring) -> Task<Share>;

/// Bitwise operators on numbers: by their bits and back.
auto bitwise_and(Party& party, Share x, Share y, unsigned width) -> Task<Share>;
auto bitwise_or(Party& party, Share x, Share y, unsigned width) -> Task<Share>;
auto bitwise_xor(Party& party, Share x, Share y, unsigned width) -> Task<Share>;

/// x >> distance with zeros, or with the sign if the type is signed. `distance` < width.
auto shift_right(Party& party, Share x, unsigned distance, IntegerType type) -> Task<Share>;
/// By secret distances, taken modulo the width, which is a power of two. The low bits of
/// `distance` are those of a number in any ring.
auto shift_left_secret(Party& party, Share x, Share distance, IntegerType type) -> Task<Share>;
auto shift_right_secret(Party& party, Share x, Share distance, IntegerType type) -> Task<Share>;

}  // namespace tacet::mpc
