#include "engine/mpc_model/circuit_costs.h"

#include <bit>

namespace tacet::mpc_model {

auto n_levels(uint64_t n) -> unsigned {
  return n <= 1 ? 0 : static_cast<unsigned>(std::bit_width(n - 1));
}

namespace {

/// Sklansky's circuit: at the level of blocks of `block` places, every place in an upper half takes
/// in the one below it; two conjunctions where something is still below that.
auto prefix_carries(const ProtocolCosts& protocol, unsigned places, uint64_t n) -> Cost {
  Cost cost;
  for (unsigned block = 1; block < places; block *= 2) {
    unsigned n_steps = 0;
    unsigned n_complete = 0;
    for (unsigned high = 0; high < places; ++high) {
      n_steps += (high & block) != 0 ? 1 : 0;
      n_complete += high >= block && high < 2 * block ? 1 : 0;
    }
    cost = then(cost, protocol.conjunction(2 * n_steps - n_complete, n));
  }
  return cost;
}

}  // namespace

auto add_carries(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return prefix_carries(protocol, width - 1, n);
}

auto carry_tree(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  Cost cost;
  for (unsigned places = width - 1; places > 1; places = (places + 1) / 2) {
    cost = then(cost, protocol.conjunction(2 * (places / 2) - 1, n));
  }
  return cost;
}

auto to_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return then(protocol.half_sum(width, n), add_carries(protocol, width, n));
}

auto top_bit(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return then(protocol.half_sum(width, n), carry_tree(protocol, width, n));
}

auto all_of_planes(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  Cost cost;
  for (; width > 1; width = (width + 1) / 2) {
    cost = then(cost, protocol.conjunction(width / 2, n));
  }
  return cost;
}

auto suffix_or(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  Cost cost;
  for (unsigned block = 1; block < width; block *= 2) {
    unsigned n_steps = 0;
    for (unsigned high = 0; high < width; ++high) {
      n_steps += (high & block) != 0 ? 1 : 0;
    }
    cost = then(cost, protocol.conjunction(n_steps, n));
  }
  return cost;
}

auto add_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return then(protocol.conjunction(width, n), add_carries(protocol, width, n));
}

auto subtract_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return then(protocol.conjunction(width, n), prefix_carries(protocol, width, n));
}

auto less(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return then(top_bit(protocol, width, 3 * n), protocol.conjunction(1, n));
}

auto less_of_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  Cost cost = protocol.conjunction(width, n);
  for (; width > 1; width = (width + 1) / 2) {
    cost = then(cost, protocol.conjunction(width / 2 * 2 - 1, n));
  }
  return cost;
}

auto less_fitting(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return top_bit(protocol, width, n);
}

auto equal(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost {
  return then(protocol.zero_planes(width, n), all_of_planes(protocol, width, n));
}

auto select(const ProtocolCosts& protocol, uint64_t n, unsigned ring) -> Cost {
  return then(protocol.bits_to_arithmetic(1, n, ring), protocol.multiply(n, ring));
}

auto minimum(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost {
  return then(less(protocol, width, n), select(protocol, n, ring));
}

auto absolute(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost {
  return then(top_bit(protocol, width, n), select(protocol, n, ring));
}

auto bitwise_and(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost {
  const Cost bits = to_bits(protocol, width, n);
  return then(then(beside(bits, bits), protocol.conjunction(width, n)),
              protocol.bits_to_arithmetic(width, n, ring));
}

auto bitwise_xor(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost {
  const Cost bits = to_bits(protocol, width, n);
  return then(beside(bits, bits), protocol.bits_to_arithmetic(width, n, ring));
}

auto shift_right(const ProtocolCosts& protocol, unsigned width, unsigned distance, uint64_t n,
                 unsigned ring) -> Cost {
  return then(to_bits(protocol, width, n), protocol.bits_to_arithmetic(width - distance, n, ring));
}

auto shift_left_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring)
    -> Cost {
  const unsigned n_bits = n_levels(width);
  Cost cost = then(to_bits(protocol, n_bits, n), protocol.bits_to_arithmetic(1, n_bits * n, ring));
  for (unsigned factors = n_bits + 1; factors > 1; factors = (factors + 1) / 2) {
    Cost level;
    for (unsigned i = 0; i < factors / 2; ++i) {
      level = beside(level, protocol.multiply(n, ring));
    }
    cost = then(cost, level);
  }
  return cost;
}

auto shift_right_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring)
    -> Cost {
  const unsigned n_bits = n_levels(width);
  const Cost bits = beside(to_bits(protocol, width, n), to_bits(protocol, n_bits, n));
  return then(then(bits, times(n_bits, protocol.conjunction(width, n))),
              protocol.bits_to_arithmetic(width, n, ring));
}

auto extend(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost {
  return then(to_bits(protocol, width, n), protocol.bits_to_arithmetic(width, n, ring));
}

auto population_count(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring)
    -> Cost {
  return then(to_bits(protocol, width, n), protocol.bits_to_arithmetic(1, width * n, ring));
}

auto divide(const ProtocolCosts& protocol, unsigned width, bool is_signed, uint64_t n,
            unsigned ring) -> Cost {
  Cost cost;
  if (is_signed) {
    cost = absolute(protocol, width, 2 * n, ring);
  }
  cost = then(cost, to_bits(protocol, width, 2 * n));
  cost = then(cost, all_of_planes(protocol, width, n));
  cost = then(cost, suffix_or(protocol, width, n));
  for (unsigned k = 0; k < width; ++k) {
    const bool is_last = k + 1 == width;
    cost = then(cost, subtract_bits(protocol, k + (is_last ? 1 : 2), n));
    if (!is_last) {
      cost = then(cost, protocol.conjunction(k + 1, n));
    }
  }
  cost = then(cost, beside(protocol.bits_to_arithmetic(width, n, ring),
                           protocol.bits_to_arithmetic(1, n, ring)));
  if (is_signed) {
    cost = then(cost, select(protocol, n, ring));
  }
  return then(cost, protocol.multiply(n, ring));
}

}  // namespace tacet::mpc_model
