#include "engine/mpc_model/integer_division.h"

#include <algorithm>
#include <bit>

#include "engine/mpc_model/circuit_costs.h"

// As engine/mpc/fixed_point/integer_division.cpp goes, step by step.

namespace tacet::mpc_model {

namespace {

auto multiply_shifted(const ProtocolCosts& protocol, uint64_t n, unsigned ring, int shift) -> Cost {
  return shift > 0 ? protocol.multiply_truncate(n, ring, static_cast<unsigned>(shift))
                   : protocol.multiply(n, ring);
}

/// The polynomial of the reciprocal.
auto inverse(const ProtocolCosts& protocol, uint64_t n, const DivisionPlan& plan) -> Cost {
  const uint64_t degree = plan.inner_bits < 26 ? 11 : plan.inner_bits < 31 ? 12 : 18;
  Cost cost;
  for (uint64_t n_powers = 1; n_powers < degree;) {
    const uint64_t count = std::min(n_powers, degree - n_powers);
    cost = then(cost, protocol.multiply_truncate(count * n, plan.ring_bits, plan.inner_bits));
    n_powers += count;
  }
  return then(cost, protocol.truncate(n, plan.ring_bits,
                                      std::min(plan.ring_bits - 5 - plan.inner_bits, 60U)));
}

/// The power of two that scales the divisor, and whether that is 0.
auto scaling(const ProtocolCosts& protocol, unsigned length, bool is_signed, uint64_t n,
             unsigned ring) -> Cost {
  const auto n_factors = static_cast<unsigned>(std::bit_width(length - 1));
  Cost power = protocol.bits_to_arithmetic(1, n_factors * n, ring);
  for (unsigned left = n_factors; left > 1; left = (left + 1) / 2) {
    power = then(power, protocol.multiply(left / 2 * n, ring));
  }
  Cost zero = protocol.bits_to_arithmetic(1, n, ring);
  if (is_signed) {
    zero = then(protocol.conjunction(1, n), zero);
  }
  return then(suffix_or(protocol, length, n), beside(power, zero));
}

}  // namespace

auto division_plan(unsigned width) -> DivisionPlan {
  if (width <= 16) {
    return {};
  }
  if (width <= 32) {
    return {.ring_bits = 64, .inner_bits = 26, .has_two_steps = true, .lost_bits = 3};
  }
  return {.ring_bits = 128, .inner_bits = 44, .has_two_steps = true, .lost_bits = 4};
}

auto divide_integers(const ProtocolCosts& protocol, unsigned width, bool is_signed, uint64_t n,
                     unsigned ring, DivisionPart part) -> Cost {
  const DivisionPlan plan = division_plan(width);
  const unsigned wide = plan.ring_bits;
  const unsigned length = is_signed ? width - 1 : width;
  const auto inner = static_cast<int>(plan.inner_bits);
  const auto bits = static_cast<int>(length);
  Cost sizes = protocol.bits_to_arithmetic(width, 2 * n, wide);
  if (is_signed) {
    sizes = then(beside(sizes, protocol.bits_to_arithmetic(1, 2 * n, wide)),
                 protocol.multiply(3 * n, wide));
  }
  Cost cost = then(to_bits(protocol, width, 2 * n),
                   beside(sizes, scaling(protocol, length, is_signed, n, wide)));
  cost = then(cost, multiply_shifted(protocol, n, wide, bits - inner));
  cost = then(cost, inverse(protocol, n, plan));
  if (plan.has_two_steps) {
    const auto lost = static_cast<int>(plan.lost_bits);
    cost = then(cost, multiply_shifted(protocol, n, wide, inner + lost));
    cost = then(cost, multiply_shifted(protocol, n, wide, bits - lost));
    cost = then(cost, protocol.multiply(n, wide));
  }
  const auto guard = static_cast<int>(kGuardBits);
  cost = then(cost, multiply_shifted(protocol, n, wide, inner + 1 - guard));
  cost = then(cost, multiply_shifted(protocol, n, wide, bits + guard));
  cost = then(cost, protocol.multiply(n, wide));
  cost = then(cost, top_bit(protocol, length + 2, 2 * n));
  cost = then(cost, protocol.bits_to_arithmetic(1, 2 * n, wide));
  if (is_signed) {
    cost = then(cost, protocol.multiply(n, wide));
  }
  return part == DivisionPart::Remainder ? then(cost, protocol.multiply(n, ring)) : cost;
}

}  // namespace tacet::mpc_model
