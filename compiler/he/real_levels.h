#pragma once

#include <vector>

#include "compiler/he/levels.h"

/// Where reals are rescaled, and what that comes to.
namespace tacet::encrypted {

/// When a product is divided by a prime, which brings its scale back.
enum class Rescaling : uint8_t {
  Early,  ///< at once
  Late,   ///< when it must have one factor of the scale: sums of products are divided once
};

/// Whether results that have the scale twice are rescaled too.
enum class RescaleResults : uint8_t { No, Yes };

/// Numbers of primes under any setting: a result has so many more than the least.
struct RealPlan {
  Levels levels;        ///< counted from 1, the least that anything has
  uint32_t n_most = 1;  ///< of what has the most
};

/// Gives every value of a trace of reals one factor of the scale or two, and as many primes as that
/// takes: products are of values with one, sums of equals. A value is rescaled where it is made, as
/// soon as one use needs that; copies, rotations and relinearisations of it then work on fewer
/// primes. Inputs begin with what their uses need. O(steps), times the longest chain of uses that
/// need more than was known.
auto plan_rescaling(const Trace& trace, Rescaling rescaling, RescaleResults results) -> RealPlan;

/// What a plan comes to under a setting, by the models of noise and time.
struct RealOutcome {
  double budget = 0;        ///< of what has the least bits of the modulus above its message
  double error = 0;         ///< a bound of how far the results are from exact ones
  double microseconds = 0;  ///< on one thread, encryption and decryption included
};

/// Simulates a plan, whose levels are counted as they are meant, as the engine would estimate it.
/// `scale_bits` is log2 of the scale of fresh ciphertexts. O(steps).
auto simulate(const Trace& trace, const Levels& levels, const Setting& setting, unsigned scale_bits,
              const he::OperationTimes& times) -> RealOutcome;

/// The plan with `n_least` primes where it has one.
auto raised(const RealPlan& plan, uint32_t n_least) -> Levels;

}  // namespace tacet::encrypted
