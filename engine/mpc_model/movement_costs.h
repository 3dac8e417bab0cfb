#pragma once

#include "engine/mpc_model/protocol_costs.h"

/// What engine/mpc/movement takes, on any protocol, for arrays of `n` elements modulo 2^ring. The
/// functions have the names of those there; keys and indices have `width` bits.
namespace tacet::mpc_model {

auto shuffle(const ProtocolCosts& protocol, uint64_t n, unsigned ring, uint64_t n_arrays) -> Cost;
auto move_to(const ProtocolCosts& protocol, uint64_t n, unsigned ring, uint64_t n_arrays) -> Cost;
auto move_from(const ProtocolCosts& protocol, uint64_t n, unsigned ring, uint64_t n_arrays) -> Cost;

/// With `n_values` arrays beside the keys. Exact for keys of up to 8 bits; an average for wider
/// ones, as the number of comparisons is up to the shuffle.
auto sort(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring,
          uint64_t n_values) -> Cost;

/// `n_indices` elements of a table of `n`.
auto gather_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, uint64_t n_indices,
                   unsigned ring) -> Cost;
auto scatter_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, uint64_t n_indices,
                    unsigned ring) -> Cost;

}  // namespace tacet::mpc_model
