#pragma once

#include <optional>
#include <vector>

#include "compiler/he/lower/real_noise.h"
#include "compiler/he/lower/simulation.h"

/// Where reals are rescaled.
namespace tacet::he_lower {

/// When a product is divided by a prime, which brings its scale back.
enum class Rescaling : uint8_t {
  Early,  ///< at once
  Late,   ///< when it must have one factor of the scale: sums of products are divided once
  /// Likewise, but not before it is relinearised, which takes a level more: the third part of a
  /// product is multiplied by the square of the key, and so is what rounding adds to it.
  Relinearised,
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

/// What is decided of a trace of reals; numbers of primes follow.
struct RescaleChoice {
  std::vector<bool> is_rescaled;  ///< by group: what of it has the scale twice is divided at once
  std::vector<uint32_t> caps;     ///< by group: the most primes
};

/// Every value with as many primes as its operands and its cap leave it, and no more than its uses
/// take. Nothing if a product has a factor with the scale twice, a sum has unequal operands, or
/// primes run out. Outputs keep what they have. O(steps), times the longest chain as above.
auto settled(const Trace& trace, const RescaleChoice& choice) -> std::optional<Levels>;

/// The choice that gave these levels.
auto choice_of(const Trace& trace, const Levels& levels) -> RescaleChoice;

/// All choices of rescaled groups that a trace allows (`RescaleChoice::is_rescaled`); none if there
/// are more than `most`, or finding them takes more than a few thousand steps.
auto rescale_choices(const Trace& trace, size_t most) -> std::vector<std::vector<bool>>;

/// The plan with `n_least` primes where it has one.
auto raised(const RealPlan& plan, uint32_t n_least) -> Levels;

/// Simulates traces of reals under a setting.
class RealSimulation {
 public:
  RealSimulation(const Trace& trace, const Setting& setting, const he::OperationTimes& times)
      : trace_(trace), simulation_(trace, setting, times) {}

  /// A plan whose levels are counted as they are meant. O(steps).
  [[nodiscard]] auto run(Levels levels) -> Outcome;

  /// Steps simulated so far.
  [[nodiscard]] auto n_steps() const -> size_t { return simulation_.n_steps(); }

 private:
  const Trace& trace_;
  Simulation<RealNoise> simulation_;
};

}  // namespace tacet::he_lower
