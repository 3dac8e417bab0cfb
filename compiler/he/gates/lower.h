#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/kernel/kernel.h"
#include "compiler/he/gates/table_forms.h"
#include "compiler/he/gates/words.h"
#include "engine/random/public_random.h"

namespace tacet::gates {

struct LoweringOptions {
  engine::PublicRandomKey key{};  ///< of random draws
  Carries carries{};              ///< of sums and comparisons
  /// Parameters that are known when the circuit is made: they are no inputs of it.
  std::map<kernel::VariableId, std::vector<engine::Cell>> known{};
  size_t most_gates = size_t{1} << 24U;
};

/// An expression or statement of a kernel, as what gates are made for.
struct Origin {
  FileRange place{};
  /// The iterations of loops in which it was reached, or 1 outside of loops.
  uint32_t n_iterations = 0;
  /// Of an expression: how many bits of its numbers are computed, at most. The others are known, or
  /// copies of a sign.
  uint32_t n_bits = 0;

  friend auto operator==(const Origin&, const Origin&) -> bool = default;
};

/// By `Gate::origin`: the expressions of a kernel from 1, then its statements.
using Origins = std::vector<Origin>;
constexpr auto origin_of(kernel::ExprId id) -> uint32_t {
  return id.index + 1;
}
auto origin_of(const kernel::Kernel& kernel, kernel::StatementId id) -> uint32_t;

struct Lowering {
  std::optional<Graph> graph;  ///< absent exactly if there are diagnostics
  Origins origins;
  /// Reads of arrays of known numbers, whose index is inside of them, by their expressions.
  std::vector<TableRead> tables;
  std::vector<Diagnostic> diagnostics;
};

/// Makes a circuit of an oblivious kernel of integers, `bool` and `fxp`, which computes what the
/// reference device does for all values: the kernel is run on words of bits. Its loops and branches
/// depend on counters and literals alone, so they are run as they are; an element at an index that
/// is not known is selected among all.
///
/// There is an input for each element of each parameter and an output for each one of each result,
/// in order: `x`, `m[1][0]`. A word has the bits of its type, the lowest first, or of a parameter
/// with a bound, as many as the numbers in its range need, with a sign only if some have one.
///
/// Gates have the expression as origin that they compute, without its operands, or the statement
/// that stores an element.
///
/// Draws are those of `key`. What would be a fault is what `engine::total` gives, and indices out
/// of range read 0 and store nothing: public ones are reported before.
///
/// Diagnostics: T6001 for what circuits do not have (floating point, functions of real numbers,
/// calls, loops and branches that depend on parameters that are not known), T6003 for what becomes
/// too large.
auto lower(const kernel::Kernel& kernel, const LoweringOptions& options = {}) -> Lowering;

}  // namespace tacet::gates
