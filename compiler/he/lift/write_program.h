#pragma once

#include "compiler/he/lift/array_state.h"
#include "compiler/he/lift/lift.h"

/// Private to this folder.
namespace tacet::lift {

/// The array program that computes the last of `computed`, whose elements are terms; the others are
/// what they may read, each behind those that it reads.
///
///   * What is read at one place alone is computed there, unless a sum would be computed anew for
///     each of many elements.
///   * Sums over a dimension that reads an array as no index of array programs can are written out,
///     if they are short; else the elements are picked by constants.
///   * Terms that need no array are constant arrays.
auto write_program(Terms& terms, const array::Program& inputs, std::vector<Computed> computed)
    -> Lifting;

}  // namespace tacet::lift
