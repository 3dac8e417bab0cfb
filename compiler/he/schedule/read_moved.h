#pragma once

#include <optional>

#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// Reads what an earlier statement left in other slots than it is needed in, by moving its vectors
/// by every distance that elements are apart from where they are needed, masking the elements in
/// place each time, and adding up: a transposed matrix in one vector is a sum over its diagonals
/// (Halevi and Shoup, Algorithms in HElib, CRYPTO 2014). Distances are walked through by baby steps
/// and giant steps, so O(sqrt(distances)) rotations and as many products by masks as distances, for
/// each vector read.
///
/// Every dimension of the result must stand along one loop or column axis whole, and no dimension
/// be rolled where it is read. Nothing if that is not so, or if too many masks were needed.
auto read_moved(const Frame& frame, const array::Site& site, const Left& left,
                CircuitWriter& writer) -> std::optional<Value>;

}  // namespace tacet::schedule
