#pragma once

#include <string>

#include "compiler/run/conformance/terms.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::conformance {

struct SymbolicLimits {
  size_t max_steps = 200'000;  ///< instructions and elements of array operations, on all paths
  size_t max_terms = 100'000;
  size_t max_depth = 64;               ///< of branches inside of branches
  size_t max_selected = 256;           ///< elements of an array that a computed index may be at
  size_t max_cells = size_t{1} << 20;  ///< of all frames together
};

/// What a program computes, as terms of its inputs.
struct SymbolicResult {
  std::vector<TermId> results;  ///< a term for each cell of each result
  TermId fault;                 ///< a `bool`: whether the run fails
  std::string problem;          ///< why there is nothing of this, or empty
};

/// Runs a program of the reference machine on terms instead of numbers. `inputs` are its cells, in
/// order.
///
/// What does not depend on inputs is computed. Where a branch does, both paths run up to the
/// branch's immediate postdominator, where different values are selected. An element at an index
/// that depends on inputs is selected from all; a store there is one into each. Operations that may
/// fail add to the condition under which the run does, and continue.
///
/// Says why not, if an extern or a random draw is needed, a reference depends on inputs, or a limit
/// is reached, as it is by loops that end when inputs say so.
auto run_symbolically(const interpret::Executable& executable, const std::vector<TermId>& inputs,
                      Terms& terms, const SymbolicLimits& limits) -> SymbolicResult;

}  // namespace tacet::conformance
