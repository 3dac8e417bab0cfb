#pragma once

#include <cstdint>

#include "engine/mpc_model/protocol_costs.h"

/// What the circuits of engine/mpc/circuits take, for `n` operands, on any protocol. Functions have
/// the names of the circuits.
namespace tacet::mpc_model {

/// ceil(log2(n)), the levels of a tree over n leaves; 0 for one.
auto n_levels(uint64_t n) -> unsigned;

auto add_carries(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto carry_tree(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto to_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto top_bit(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto all_of_planes(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto suffix_or(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto add_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto subtract_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;

/// Of numbers that are given as bits.
auto less_of_bits(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
/// For any operands, and where x - y does not overflow.
auto less(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto less_fitting(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto equal(const ProtocolCosts& protocol, unsigned width, uint64_t n) -> Cost;
auto select(const ProtocolCosts& protocol, uint64_t n, unsigned ring) -> Cost;
/// `minimum`, `maximum`.
auto minimum(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost;
auto absolute(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost;
/// `bitwise_and`, `bitwise_or`.
auto bitwise_and(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost;
auto bitwise_xor(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost;
auto shift_right(const ProtocolCosts& protocol, unsigned width, unsigned distance, uint64_t n,
                 unsigned ring) -> Cost;
auto shift_left_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring)
    -> Cost;
auto shift_right_secret(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring)
    -> Cost;
/// `cast_integer` to more bits than there are; to no more it costs nothing.
auto extend(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring) -> Cost;
auto population_count(const ProtocolCosts& protocol, unsigned width, uint64_t n, unsigned ring)
    -> Cost;
/// Quotient and remainder of signed or unsigned numbers.
auto divide(const ProtocolCosts& protocol, unsigned width, bool is_signed, uint64_t n,
            unsigned ring) -> Cost;

}  // namespace tacet::mpc_model
