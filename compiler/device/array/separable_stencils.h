#pragma once

#include "compiler/device/array/program.h"

namespace tacet::array {

/// Pass: separate stencils
///
/// A weighted sum of elements around each place of an array becomes sums over one direction of sums
/// over the others, where the weights are products of one number for each:
///
/// Before:                                    After, with v = 1, 2, 1 and w = 1, -1:
///   out[i, j] = a[i - 1, j + 1]                out[i, j] = sum[y: 3](v[y] *
///     + 2 * a[i, j + 1] + a[i + 1, j + 1]        sum[x: 2](w[x] * a[i + y - 1, j + 2*x - 1]))
///     - a[i - 1, j - 1] - 2 * a[i, j - 1]
///     - a[i + 1, j - 1]
///
/// Vectors for these sums are made of one by rotations, in one direction after the other, so 3
/// times 2 weights take 2 rotations and 1. Weights in one direction alone become a sum over that.
/// Sums that the text has already are found too, if their dimensions are short.
///
/// Only whole right-hand sides are considered, and only sums of elements of one array. Everything
/// else is unchanged. O(weights).
auto with_separable_stencils(const Program& program) -> Program;

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
