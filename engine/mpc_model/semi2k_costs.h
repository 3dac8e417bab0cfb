#pragma once

#include <cstdint>

#include "engine/mpc_model/cost.h"
#include "engine/mpc_model/matrix_blocks.h"

/// What `semi2k` needs besides what `ProtocolCosts` says of it: making `n` pieces of correlated
/// randomness by encryption, if none are left from before. Pieces come in batches of 8192 (words of
/// bits: 128), two batches at a time.
namespace tacet::mpc_model {

auto bfv_triples(uint32_t n_parties, uint64_t n, unsigned ring) -> Cost;
auto bfv_squares(uint32_t n_parties, uint64_t n, unsigned ring) -> Cost;
/// Words of 64 triples of bits.
auto bfv_bit_triples(uint32_t n_parties, uint64_t n_words) -> Cost;
/// Words of 64 products of a bit of one of two parties and one of the other.
auto bfv_cross_products(uint64_t n_words) -> Cost;
/// Random bits as bits and as numbers, for two parties. More parties combine their own bits with
/// products: as many triples as there are parties less one, each.
auto bfv_random_bits_of_two(uint64_t n) -> Cost;
/// Of one product of matrices, block by block (`matrix_blocks.h`). Nothing if one has no elements.
auto bfv_matrix_triple(uint32_t n_parties, MatrixSize size, unsigned ring) -> Cost;

}  // namespace tacet::mpc_model
