#pragma once

#include <memory>

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// A program with relinearisations somewhere, and its outcome with primes dropped somewhere.
struct Placement {
  engine::HeProgram program;
  Trace trace;  ///< merged (`merge_trace.h`)
  Outcome outcome;
};

struct JointOptions {
  double margin = 3;     ///< bits that must be left of `Outcome::budget`
  double precision = 0;  ///< of reals: the largest error of results
  bool moves_relinearisations = true;
  size_t most_steps = 0;  ///< of simulations
  /// The program with other relinearisations to start from.
  std::vector<engine::HeProgram> others{};
  /// Of the program, and so of all others, which have the same registers.
  std::shared_ptr<const std::vector<NoiseStage>> stages{};
};

/// Whether a program is small enough for `placed_jointly`, if it is one of integers: all groups can
/// be tried with all numbers of primes, again and again.
auto is_small(const Placement& placement, const Setting& setting) -> bool;

/// Relinearisations and drops of primes together, for a program without drops of its own: a
/// placement that takes less time with the primes of a setting, if one is found.
///
/// Each changes what the other costs. A key is switched in less time, and with less noise where it
/// counts, once a prime was dropped; but what waits for that has three parts when it is dropped,
/// whose rounding makes more noise. A drop that the operands of several sums share only pays if
/// what is added waits, and of reals either all products of a sum are divided or the sum is. So
/// primes are dropped as is best for the relinearisations there are, then relinearisations are
/// placed where they take the least time with these numbers of primes, exactly
/// (`weigh_relinearisations.h`), and so on until nothing is faster: from where products are
/// relinearised, from as late as they can be, and from `others`.
///
/// Integers are tried with each number of primes of each group, and of each two groups if there are
/// few. Of small programs of reals all choices of rescaling are tried (`rescale_choices`), and for
/// each the same numbers of primes, also without each of the relinearisations; of others, the plans
/// of `plan_rescaling`.
auto placed_jointly(Placement placement, const Setting& setting, const he::OperationTimes& times,
                    const JointOptions& options) -> Placement;

}  // namespace tacet::he_lower
