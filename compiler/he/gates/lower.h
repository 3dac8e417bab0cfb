#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/kernel/kernel.h"
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

struct Lowering {
  std::optional<Graph> graph;  ///< absent exactly if there are diagnostics
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
/// Draws are those of `key`. What would be a fault is what `engine::total` gives, and indices out
/// of range read 0 and store nothing: public ones are reported before.
///
/// Diagnostics: T6001 for what circuits do not have (floating point, functions of real numbers,
/// calls, loops and branches that depend on parameters that are not known), T6003 for what becomes
/// too large.
auto lower(const kernel::Kernel& kernel, const LoweringOptions& options = {}) -> Lowering;

}  // namespace tacet::gates
