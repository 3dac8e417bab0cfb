#pragma once

#include "engine/mpc/circuits/integers.h"

/// Elements at secret places. An index is a number of the given type; one that is outside of the
/// array reads 0 and writes nothing.
namespace tacet::mpc {

/// Element i of the result is `table[indices[i]]`.
///
/// The table is treated as a matrix of about as many rows as columns. Each index gives two rows of
/// zeros with a single one, from its bits; the first one times the matrix is a row of it, and the
/// dot product with the second one an element. So an index over n elements takes O(sqrt(n))
/// products to send, where the protocol sends only the results of matrix products, and n to
/// compute.
auto gather_secret(Party& party, Share table, Share indices, IntegerType type) -> Task<Share>;

/// `table` after `values[i]` was stored at `indices[i]`, for i = 0, 1, … in order. Each store takes
/// n products.
auto scatter_secret(Party& party, Share table, Share indices, Share values, IntegerType type)
    -> Task<Share>;

}  // namespace tacet::mpc
