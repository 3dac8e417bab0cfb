#include "engine/mpc/circuits/division.h"

#include <array>
#include <utility>
#include <vector>

#include "engine/mpc/circuits/adders.h"

namespace tacet::mpc {

static auto stacked(const Bits& x, const Bits& y) -> Bits {
  const std::array<Bits, 2> parts{x, y};
  return stack_planes(parts);
}

auto divide_bits(Party& party, Bits x, Bits y) -> Task<Bits> {
  const Party::Scope scope = party.scope("divide_bits");
  const Protocol& protocol = party.protocol();
  const unsigned width = x.width();
  // Plane p: whether y has a bit at p or above.
  const Bits reaches = co_await suffix_or(party, y);
  const Bits zero = zero_bits(x.n_parts, 1, x.size(), party.memory());
  std::vector<Bits> digits(width);
  Bits rest;
  for (unsigned k = 0; k < width; ++k) {
    // What is left has k + 1 bits, so that of y the bits above are one: is there any?
    Bits current = plane_range(x, width - 1 - k, 1);
    if (k > 0) {
      current = stacked(current, rest);
    }
    Bits divisor = plane_range(y, 0, k + 1);
    if (k + 1 < width) {
      current = stacked(current, zero);
      divisor = stacked(divisor, plane_range(reaches, k + 1, 1));
    }
    Difference difference = co_await subtract_bits(party, current, divisor);
    const Bits digit = protocol.complement(party, std::move(difference.borrow));
    if (k + 1 < width) {
      rest = co_await select_bits(party, digit, plane_range(difference.value, 0, k + 1),
                                  plane_range(current, 0, k + 1));
    }
    digits[width - 1 - k] = digit;
  }
  co_return stack_planes(digits);
}

auto divide(Party& party, Share x, Share y, IntegerType type) -> Task<Quotient> {
  const Party::Scope scope = party.scope("divide");
  Protocol& protocol = party.protocol();
  const Ring ring = x.ring();
  const size_t n = x.size();
  const std::array<Share, 2> operands{x, y};
  Share both = concatenate(operands);
  Bits signs;
  if (type.signedness == Signedness::Signed) {
    signs = co_await is_negative(party, both, type.width);
    both = co_await select(party, signs, negate(both), both);
  }
  const Bits bits = co_await to_bits(party, std::move(both), type.width);

  // A divisor of zero becomes one.
  Bits divisor = slice(bits, n, n);
  Bits is_zero = co_await any_of_planes(party, divisor);
  is_zero = protocol.complement(party, std::move(is_zero));
  divisor = type.width == 1 ? exclusive_or(divisor, is_zero)
                            : stacked(exclusive_or(plane_range(divisor, 0, 1), is_zero),
                                      plane_range(divisor, 1, type.width - 1));
  Bits digits = co_await divide_bits(party, slice(bits, 0, n), std::move(divisor));

  auto [quotient, ones] = co_await all(bits_to_arithmetic(party, std::move(digits), ring),
                                       to_number(party, std::move(is_zero), ring));
  if (type.signedness == Signedness::Signed) {
    Bits turned = exclusive_or(slice(signs, 0, n), slice(signs, n, n));
    quotient = co_await select(party, std::move(turned), negate(quotient), quotient);
  }
  Share product = co_await multiply(party, quotient, add(y, ones));
  co_return Quotient{.quotient = quotient, .remainder = subtract(x, product)};
}

}  // namespace tacet::mpc
