#pragma once

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// A program with relinearisations somewhere, and what it comes to with drops somewhere.
struct Placement {
  engine::HeProgram program;
  Trace trace;
  Trace merged;  ///< what is simulated (`merge_trace.h`)
  Outcome outcome;
};

struct JointOptions {
  double margin = 3;  ///< bits of noise that must be left
  bool moves_relinearisations = true;
  size_t most_steps = 0;  ///< what simulating may cost
};

/// Whether a program is small enough for `placed_jointly`: all groups can be tried with all numbers
/// of primes, again and again.
auto is_small(const Placement& placement, const Setting& setting) -> bool;

/// Relinearisations and drops of primes together, for a program without drops of its own whose
/// outcome leaves the margin: what takes less time, if any does.
///
/// From where products are relinearised, and from as late as they can be: a drop that the operands
/// of several sums share only pays if what is added waits. Each group gets each number of primes,
/// then each two do; then relinearisations are placed for these numbers, exactly; and so on until
/// nothing is faster.
auto placed_jointly(Placement placement, const Setting& setting, const he::OperationTimes& times,
                    const JointOptions& options) -> Placement;

}  // namespace tacet::he_lower
