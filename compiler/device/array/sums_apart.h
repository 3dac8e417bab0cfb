#pragma once

#include "compiler/device/array/program.h"

namespace tacet::array {

/// Pass: sums within sums in statements of their own
///
/// An operand that has sums, within a sum, and that has fewer dimensions than what it is combined
/// with becomes a statement; what is equal but for the names of dimensions becomes the same one:
///
/// Before:                                        After:
///   out[i] = sum[k](g[i, k] *                      parts[k] = sum[j](g[k, j] * b[j]) + b[k]
///     (sum[j](g[k, j] * b[j]) + b[k])) + b[i]      out[i] = sum[k](g[i, k] * parts[k]) + b[i]
///
/// As one statement, the product of all dimensions is computed: of a loop that multiplies a vector
/// by a matrix, the power of the length that the number of its iterations is. In statements, a
/// product is as long as the matrix, but its result must be brought to where the next one reads it.
/// Everything else is unchanged. O(expressions * dimensions).
auto with_sums_apart(const Program& program) -> Program;

}  // namespace tacet::array
