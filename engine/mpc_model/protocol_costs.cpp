#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

auto ProtocolCosts::multiply_truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost {
  return then(multiply(n, ring), truncate(n, ring, f));
}

auto ProtocolCosts::dot_truncate(uint64_t n_rows, uint64_t length, unsigned ring, unsigned f) const
    -> Cost {
  return then(dot(n_rows, length, ring), truncate(n_rows, ring, f));
}

auto ProtocolCosts::multiply_matrices_truncate(uint64_t rows, uint64_t inner, uint64_t columns,
                                               unsigned ring, unsigned f) const -> Cost {
  return then(multiply_matrices(rows, inner, columns, ring), truncate(rows * columns, ring, f));
}

}  // namespace tacet::mpc_model
