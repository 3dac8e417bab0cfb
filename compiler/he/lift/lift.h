#pragma once

#include <optional>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/device/kernel/kernel.h"

/// From kernels to array programs.
namespace tacet::lift {

struct Lifting {
  std::optional<array::Program> program;  ///< absent exactly if there are diagnostics
  std::vector<Diagnostic> diagnostics;
};

/// Makes an array program of an oblivious kernel, which computes the same as long as numbers stay
/// in the ranges of their types.
///
/// If the kernel is oblivious, what computes on secrets is closed into regions first
/// (`oblivious::with_secret_regions`); one that is not may still be an array program, since choices
/// are selections here. Then it is run on symbols. What a variable holds is a term, or for arrays
/// what was stored where; counters of loops are dimensions. The body of a loop is run once, on what
/// variables hold when an iteration begins, which is unknown (`Carried`):
///
///   * a variable that gets a term added, or is multiplied by one, in every iteration is a sum or
///     product over the dimension; one that is assigned to first holds what the last iteration
///     assigns;
///   * elements that no two iterations share are an array along the dimension; elements that all
///     iterations share are sums;
///   * sums that are read while they grow are sums over the iterations before (a triangle of
///     constants);
///   * any other loop is unrolled, iteration by iteration.
///
/// So loops are sets of indices, and what is unrolled is what depends on the iteration before.
/// Elements that were stored one by one in the text are combined again where they follow one
/// pattern. Arrays are statements of the program; what is read by one use only is inlined. A choice
/// between results of comparisons is a function (`array::Function`), numbers made of counters are
/// constant arrays.
///
/// A parameter without an owner is the client's if it is secret, else the server's.
///
/// Random draws are those of `key`: what is computed from them, counters and literals alone is
/// constants of the program.
///
/// Diagnostics: T6001 for what array programs do not have, T6002 for indices, T6003 for what
/// becomes too large.
///
/// An array program has one result: `result` says which of the kernel's it is.
auto lift(const kernel::Kernel& kernel, size_t result = 0, const engine::PublicRandomKey& key = {})
    -> Lifting;

}  // namespace tacet::lift
