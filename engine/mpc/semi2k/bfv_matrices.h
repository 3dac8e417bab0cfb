#pragma once

#include "engine/mpc/semi2k/bfv_exchange.h"
#include "engine/mpc/semi2k/correlations.h"

namespace tacet::mpc {

/// Adds to `triple.c`, which is the product of this party's own matrices, its share of the products
/// of every party's left matrix with every other one's right matrix.
///
/// Each party encrypts one of its matrices, once for all others, and multiplies the other one with
/// those it receives. A block of m×l and one of l×c elements become polynomials
///
///     sum of a[i,k] X^(i l c + l - 1 - k)   and   sum of b[k,j] X^(j l + k),
///
/// in whose product element i, j is the coefficient of X^(i l c + j l + l - 1): other products have
/// exponents that are not l - 1 modulo l, also when they run over 8192 ≥ m l c. This is the
/// encoding of Huang, Lu, Hong, Ding ("Cheetah: Lean and Fast Secure Two-Party Deep Neural Network
/// Inference", USENIX Security 2022); that blocks along the inner dimension are added up before
/// they are sent back is as there, that one second half serves all elements of a block is not.
///
/// Rounds and bytes: `mpc_model::bfv_matrix_triple`. Every party awaits equally often.
auto add_matrix_products(Party& party, BfvExchange& exchange, MatrixShape shape, Triples& triple)
    -> Task<>;

}  // namespace tacet::mpc
