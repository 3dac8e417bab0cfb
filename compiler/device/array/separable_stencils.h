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

}  // namespace tacet::array
