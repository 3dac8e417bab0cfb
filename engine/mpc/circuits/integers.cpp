#include "engine/mpc/circuits/integers.h"

#include <array>
#include <utility>
#include <vector>

#include "engine/mpc/circuits/adders.h"

namespace tacet::mpc {

namespace {

auto stacked(const Bits& x, const Bits& y) -> Bits {
  const std::array<Bits, 2> parts{x, y};
  return stack_planes(parts);
}

}  // namespace

auto is_negative(Party& party, Share x, unsigned width) -> Task<Bits> {
  return top_bit(party, std::move(x), width);
}

auto less(Party& party, Share x, Share y, IntegerType type, Distance distance) -> Task<Bits> {
  const Party::Scope scope = party.scope("less");
  if (distance == Distance::Fits) {
    co_return co_await top_bit(party, subtract(x, y), type.width);
  }
  // Where the top bits of x and y are equal, that of x - y decides; elsewhere x's, or if unsigned,
  // y's.
  const size_t n = x.size();
  const std::array<Share, 3> numbers{subtract(x, y), x, y};
  const Bits tops = co_await top_bit(party, concatenate(numbers), type.width);
  const Bits top_of_difference = slice(tops, 0, n);
  const Bits top_of_x = slice(tops, n, n);
  const Bits top_of_y = slice(tops, 2 * n, n);
  const Bits decisive = type.signedness == Signedness::Signed ? top_of_x : top_of_y;
  co_return co_await select_bits(party, exclusive_or(top_of_x, top_of_y), decisive,
                                 top_of_difference);
}

auto less_equal(Party& party, Share x, Share y, IntegerType type, Distance distance) -> Task<Bits> {
  Bits greater = co_await less(party, std::move(y), std::move(x), type, distance);
  co_return party.protocol().complement(party, std::move(greater));
}

auto is_zero(Party& party, Share x, unsigned width) -> Task<Bits> {
  const Party::Scope scope = party.scope("is_zero");
  Protocol& protocol = party.protocol();
  Bits planes = co_await protocol.zero_planes(party, std::move(x), width);
  co_return co_await all_of_planes(party, protocol.complement(party, std::move(planes)));
}

auto equal(Party& party, Share x, Share y, unsigned width) -> Task<Bits> {
  return is_zero(party, subtract(x, y), width);
}

auto to_number(Party& party, Bits condition, Ring ring) -> Task<Share> {
  return bits_to_arithmetic(party, std::move(condition), ring);
}

auto select(Party& party, Bits condition, Share x, Share y) -> Task<Share> {
  const Party::Scope scope = party.scope("select");
  Share factor = co_await to_number(party, std::move(condition), x.ring());
  Share change = co_await multiply(party, std::move(factor), subtract(x, y));
  co_return add(y, change);
}

auto select_bits(Party& party, Bits condition, Bits x, Bits y) -> Task<Bits> {
  const Bits repeated = repeat_plane(condition, 0, x.width());
  const Bits change = co_await conjunction(party, repeated, exclusive_or(x, y));
  co_return exclusive_or(y, change);
}

auto minimum(Party& party, Share x, Share y, IntegerType type, Distance distance) -> Task<Share> {
  const Party::Scope scope = party.scope("minimum");
  Bits is_less = co_await less(party, x, y, type, distance);
  co_return co_await select(party, std::move(is_less), x, y);
}

auto maximum(Party& party, Share x, Share y, IntegerType type, Distance distance) -> Task<Share> {
  const Party::Scope scope = party.scope("maximum");
  Bits is_less = co_await less(party, x, y, type, distance);
  co_return co_await select(party, std::move(is_less), y, x);
}

auto absolute(Party& party, Share x, unsigned width) -> Task<Share> {
  const Party::Scope scope = party.scope("absolute");
  Bits sign = co_await is_negative(party, x, width);
  co_return co_await select(party, std::move(sign), negate(x), x);
}

auto population_count(Party& party, Share x, unsigned width) -> Task<Share> {
  const Party::Scope scope = party.scope("population_count");
  const Ring ring = x.ring();
  Bits bits = co_await to_bits(party, std::move(x), width);
  // Bits as numbers are added for nothing; a count by adders would send less in more rounds.
  const size_t n = bits.size();
  const Share each = co_await party.protocol().each_bit_to_arithmetic(party, std::move(bits), ring);
  Share sum = slice(each, 0, n);
  for (unsigned p = 1; p < width; ++p) {
    sum = add(sum, slice(each, p * n, n));
  }
  co_return sum;
}

auto from_bits(Party& party, Bits x, Signedness signedness, Ring ring) -> Task<Share> {
  // A sign stands for -2^(width - 1): the number with the sign turned around, less that.
  const unsigned width = x.width();
  if (signedness == Signedness::Unsigned || width == n_bits(ring)) {
    co_return co_await bits_to_arithmetic(party, std::move(x), ring);
  }
  const Protocol& protocol = party.protocol();
  const Word128 sign = Word128{1} << (width - 1);
  x = protocol.exclusive_or_public(party, std::move(x),
                                   BitPlanes::filled(width, x.size(), sign, party.memory()));
  Share number = co_await bits_to_arithmetic(party, std::move(x), ring);
  co_return protocol.add_constant(party, std::move(number), 0 - sign);
}

auto cast_integer(Party& party, Share x, IntegerType from, unsigned to_width, Ring ring)
    -> Task<Share> {
  const Party::Scope scope = party.scope("cast_integer");
  if (to_width <= from.width) {
    co_return map_parts(x, [=](const RingArray& a) { return convert(a, ring, Extend::Zero); });
  }
  Bits bits = co_await to_bits(party, std::move(x), from.width);
  co_return co_await from_bits(party, std::move(bits), from.signedness, ring);
}

namespace {

/// The bits of both operands, at once.
auto bits_of_both(Party& party, Share x, Share y, unsigned width) -> Task<std::pair<Bits, Bits>> {
  auto [left, right] =
      co_await all(to_bits(party, std::move(x), width), to_bits(party, std::move(y), width));
  co_return std::pair<Bits, Bits>(std::move(left), std::move(right));
}

}  // namespace

// x & y is found first: x ^ y = x + y - 2 (x & y) and x | y = x + y - (x & y) are local then.
auto bitwise_and(Party& party, Share x, Share y, unsigned width) -> Task<Share> {
  const Party::Scope scope = party.scope("bitwise_and");
  const Ring ring = x.ring();
  auto [left, right] = co_await bits_of_both(party, std::move(x), std::move(y), width);
  Bits common = co_await conjunction(party, std::move(left), std::move(right));
  co_return co_await bits_to_arithmetic(party, std::move(common), ring);
}

auto bitwise_or(Party& party, Share x, Share y, unsigned width) -> Task<Share> {
  Share common = co_await bitwise_and(party, x, y, width);
  co_return subtract(add(x, y), common);
}

auto bitwise_xor(Party& party, Share x, Share y, unsigned width) -> Task<Share> {
  const Party::Scope scope = party.scope("bitwise_xor");
  const Ring ring = x.ring();
  auto [left, right] = co_await bits_of_both(party, std::move(x), std::move(y), width);
  co_return co_await bits_to_arithmetic(party, exclusive_or(left, right), ring);
}

auto shift_right(Party& party, Share x, unsigned distance, IntegerType type) -> Task<Share> {
  const Party::Scope scope = party.scope("shift_right");
  TACET_CHECK(distance < type.width, "a shift by the width or more");
  const Ring ring = x.ring();
  Bits bits = co_await to_bits(party, std::move(x), type.width);
  bits = plane_range(bits, distance, type.width - distance);
  co_return co_await from_bits(party, std::move(bits), type.signedness, ring);
}

namespace {

auto n_distance_bits(unsigned width) -> unsigned {
  unsigned n = 0;
  while ((1U << n) < width) {
    ++n;
  }
  TACET_CHECK(1U << n == width, "shifts by secrets are for widths that are powers of two");
  return n;
}

}  // namespace

// x times 2^distance: the product of 1 + b_i (2^(2^i) - 1) over the bits b_i of the distance.
auto shift_left_secret(Party& party, Share x, Share distance, IntegerType type) -> Task<Share> {
  const Party::Scope scope = party.scope("shift_left_secret");
  const Protocol& protocol = party.protocol();
  const unsigned count = n_distance_bits(type.width);
  if (count == 0) {
    co_return x;
  }
  const size_t n = x.size();
  const Ring ring = x.ring();
  Bits bits = co_await to_bits(party, std::move(distance), count);
  const Share each = co_await party.protocol().each_bit_to_arithmetic(party, std::move(bits), ring);
  std::vector<Share> factors{std::move(x)};
  for (unsigned i = 0; i < count; ++i) {
    const Word128 power = Word128{1} << (1U << i);
    factors.push_back(protocol.add_constant(party, scale(slice(each, i * n, n), power - 1), 1));
  }
  while (factors.size() > 1) {
    std::vector<Task<Share>> products;
    for (size_t i = 0; i + 1 < factors.size(); i += 2) {
      products.push_back(multiply(party, factors[i], factors[i + 1]));
    }
    std::vector<Share> next = co_await all(std::move(products));
    if (factors.size() % 2 != 0) {
      next.push_back(factors.back());
    }
    factors = std::move(next);
  }
  co_return factors[0];
}

// A barrel shifter: at step i, by 2^i or not.
auto shift_right_secret(Party& party, Share x, Share distance, IntegerType type) -> Task<Share> {
  const Party::Scope scope = party.scope("shift_right_secret");
  const unsigned count = n_distance_bits(type.width);
  if (count == 0) {
    co_return x;
  }
  const Ring ring = x.ring();
  auto [bits, amount] = co_await all(to_bits(party, std::move(x), type.width),
                                     to_bits(party, std::move(distance), count));
  for (unsigned i = 0; i < count; ++i) {
    const unsigned step = 1U << i;
    const Bits fill = type.signedness == Signedness::Signed
                          ? repeat_plane(bits, type.width - 1, step)
                          : zero_bits(bits.n_parts, step, bits.size(), party.memory());
    const Bits moved = stacked(plane_range(bits, step, type.width - step), fill);
    bits = co_await select_bits(party, plane_range(amount, i, 1), moved, bits);
  }
  co_return co_await from_bits(party, std::move(bits), type.signedness, ring);
}

}  // namespace tacet::mpc
