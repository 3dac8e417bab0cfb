#include "engine/mpc_model/movement_costs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/mpc_model/circuit_costs.h"

namespace tacet::mpc_model {

namespace {

/// Bits of numbers below n, one at least.
auto index_bits(uint64_t n) -> unsigned {
  return std::max(1U, static_cast<unsigned>(std::bit_width(n - 1)));
}

auto planes_to_numbers(const ProtocolCosts& protocol, uint64_t n_planes, uint64_t n, unsigned ring)
    -> Cost {
  return protocol.bits_to_arithmetic(1, n_planes * n, ring);
}

auto radix_sort(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring,
                uint64_t n_values) -> Cost {
  Cost cost = then(to_bits(protocol, width, n), planes_to_numbers(protocol, width, n, ring));
  for (unsigned pass = 0; pass < width; ++pass) {
    const uint64_t n_moving = n_values + width - pass;
    cost = then(cost, then(protocol.multiply(n, ring), move_to(protocol, n, ring, n_moving)));
  }
  return cost;
}

/// Comparisons of a sort that splits by samples, and how many are sequential.
struct Questions {
  double count = 0;
  double levels = 0;
};

auto questions(double n) -> Questions {
  if (n < 2) {
    return {};
  }
  if (n <= 7) {
    return {n * (n - 1) / 2, 1};
  }
  const double sample = std::exp2(std::floor(std::log2(std::sqrt(2 * n) + 1))) - 1;
  const double n_levels = std::log2(sample + 1);
  const Questions part = questions((n - sample) / (sample + 1));
  return {sample * (sample - 1) / 2 + (n - sample) * n_levels + (sample + 1) * part.count,
          1 + n_levels + part.levels};
}

auto comparison_sort(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring,
                     uint64_t n_values) -> Cost {
  const Cost moved = beside(protocol.permute(n, 32, 1), protocol.permute(n, ring, n_values + 1));
  const Cost bits = beside(to_bits(protocol, width, n), to_bits(protocol, index_bits(n), n));
  const Questions comparisons = questions(static_cast<double>(n));
  const auto n_questions = static_cast<uint64_t>(comparisons.count);
  const Cost all = then(less_of_bits(protocol, width + index_bits(n), n_questions),
                        protocol.open_bits(1, n_questions));
  // Parts are not all of one size: the largest takes some levels more.
  const auto n_levels = static_cast<uint64_t>(std::lround(1.6 * comparisons.levels));
  const Cost first = then(then(protocol.random_permutation(n), moved), bits);
  const uint64_t n_each = n_levels == 0 ? 0 : (n_questions + n_levels - 1) / n_levels;
  const Cost level =
      then(less_of_bits(protocol, width + index_bits(n), n_each), protocol.open_bits(1, n_each));
  return then(first, {.rounds = all.rounds * n_levels,
                      .bytes = all.bytes,
                      .record = times(n_levels, level).record});
}

/// A row with a one for each index, of 2^n_bits elements.
auto one_hot(const ProtocolCosts& protocol, unsigned n_bits, uint64_t n, unsigned ring) -> Cost {
  if (n_bits < 2) {
    return {};
  }
  const unsigned low = n_bits / 2;
  return then(beside(one_hot(protocol, low, n, ring), one_hot(protocol, n_bits - low, n, ring)),
              protocol.multiply(n << n_bits, ring));
}

struct TableShape {
  unsigned row_bits;
  unsigned column_bits;

  explicit TableShape(uint64_t n)
      : row_bits(static_cast<unsigned>(std::bit_width(n - 1))), column_bits(row_bits / 2) {
    row_bits -= column_bits;
  }
};

auto selectors(const ProtocolCosts& protocol, unsigned width, TableShape shape, uint64_t n,
               unsigned ring) -> Cost {
  const unsigned n_bits = std::min(shape.row_bits + shape.column_bits, width);
  const bool has_beyond = n_bits < width;
  Cost cost = to_bits(protocol, width, n);
  if (has_beyond) {
    cost = then(cost, all_of_planes(protocol, width - n_bits, n));
  }
  cost = then(cost, planes_to_numbers(protocol, n_bits + (has_beyond ? 1 : 0), n, ring));
  cost = then(cost, beside(one_hot(protocol, shape.column_bits, n, ring),
                           one_hot(protocol, shape.row_bits, n, ring)));
  return has_beyond ? then(cost, protocol.multiply(n << shape.column_bits, ring)) : cost;
}

}  // namespace

auto shuffle(const ProtocolCosts& protocol, uint64_t n, unsigned ring, uint64_t n_arrays) -> Cost {
  return then(protocol.random_permutation(n), protocol.permute(n, ring, n_arrays));
}

auto move_to(const ProtocolCosts& protocol, uint64_t n, unsigned ring, uint64_t n_arrays) -> Cost {
  return then(shuffle(protocol, n, ring, n_arrays + 1), protocol.open(n, index_bits(n)));
}

auto move_from(const ProtocolCosts& protocol, uint64_t n, unsigned ring, uint64_t n_arrays)
    -> Cost {
  return then(then(shuffle(protocol, n, ring, 1), protocol.open(n, index_bits(n))),
              protocol.permute(n, ring, n_arrays));
}

auto sort(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring,
          uint64_t n_values) -> Cost {
  if (n < 2) {
    return {};
  }
  return width <= 8 ? radix_sort(protocol, width, n, ring, n_values)
                    : comparison_sort(protocol, width, n, ring, n_values);
}

auto gather_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, uint64_t n_indices,
                   unsigned ring) -> Cost {
  const TableShape shape(n);
  const uint64_t n_rows = uint64_t{1} << shape.row_bits;
  const uint64_t n_columns = uint64_t{1} << shape.column_bits;
  return then(selectors(protocol, width, shape, n_indices, ring),
              then(protocol.multiply_matrices(n_indices, n_rows, n_columns, ring),
                   protocol.dot(n_indices, n_columns, ring)));
}

auto scatter_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, uint64_t n_indices,
                    unsigned ring) -> Cost {
  const TableShape shape(n);
  const Cost chosen = protocol.multiply(n_indices << (shape.row_bits + shape.column_bits), ring);
  return then(selectors(protocol, width, shape, n_indices, ring),
              then(chosen, times(n_indices, protocol.multiply(n, ring))));
}

}  // namespace tacet::mpc_model
