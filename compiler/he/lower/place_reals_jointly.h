#pragma once

#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {

/// A program of reals with relinearisations somewhere, and what it comes to, rescaled somewhere.
struct RealPlacement {
  engine::HeProgram program;
  Trace trace;  ///< merged
  Levels levels;
  RealOutcome outcome;
};

struct RealJointOptions {
  unsigned scale_bits = 0;
  double precision = 0;  ///< the most that results may be off
  double margin = 3;     ///< bits of the modulus that must be above every message
  std::vector<engine::HeProgram>
      others{};  ///< the program with other relinearisations to begin with
};

/// Relinearisations and rescaling together, for a program without drops: what takes less time with
/// the primes of a setting, if any does.
///
/// Each changes what the other costs. A key is switched in less time, and with less noise where it
/// counts, once a prime was dropped; but what waits for that has three parts when it is divided,
/// whose rounding makes more noise, and of a sum either all products are divided or the sum is. So
/// relinearisations are placed where they take the least time with the numbers of primes there are,
/// exactly (`weigh_relinearisations.h`), then rescaling and numbers of primes anew, and so on until
/// nothing is faster: from where products are relinearised, from as late as they can be, and from
/// `others`.
///
/// Of small programs all ways to rescale are tried (`ways_to_rescale`), and of each all numbers of
/// primes that a group can have alone, and each two groups together, also without each of the
/// relinearisations; of others, what `plan_rescaling` gives.
auto placed_jointly(RealPlacement placement, const Setting& setting,
                    const he::OperationTimes& times, const RealJointOptions& options)
    -> RealPlacement;

}  // namespace tacet::he_lower
