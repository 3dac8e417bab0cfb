#pragma once

#include "compiler/device/array/program.h"

namespace tacet::array {

/// Pass: multiply what is clear first
///
/// A sum of products in which a dimension occurs in clear factors alone is reordered, so that these
/// are multiplied and summed along it before they meet what is secret:
///
/// Before:                                      After:
///   sum[j](a[i, j] * sum[k](b[j, k] * x[k]))     sum[k](sum[j](a[i, j] * b[j, k]) * x[k])
///
/// Sums within factors are pulled out of the product for it. Everything else is unchanged, and a
/// program without such a dimension is returned as it is. Each statement by itself, so what is to
/// meet must have been inlined. O(expressions * factors).
auto clear_factors_first(const Program& program) -> Program;

}  // namespace tacet::array
