#pragma once

#include "compiler/device/array/program.h"

namespace tacet::array {

/// Pass: directions in statements of their own
///
/// A sum over one direction of sums over another becomes two statements:
///
/// Before:                                    After:
///   out[i, j] = sum[y: 3](sum[x: 3](           sums[i, j] = sum[x: 3](a[i, j + x - 1])
///     a[i + y - 1, j + x - 1]))                out[i, j] = sum[y: 3](sums[i + y - 1, j])
///
/// Each takes a rotation for each of its own distances, and a mask where an array ends: 4 for 3
/// times 3 elements, where one statement takes 8; but masks follow one another. Likewise of more
/// directions. Not of pairs in each direction, and only where the
/// elements that are summed first are inside of their array in the directions that remain.
/// Everything else is unchanged. O(statements).
auto with_directions_apart(const Program& program) -> Program;

}  // namespace tacet::array
