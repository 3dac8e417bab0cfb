#pragma once

#include <limits>
#include <vector>

#include "compiler/he/lower/integer_noise.h"
#include "compiler/he/lower/simulation.h"

/// Where primes of integers are dropped.
namespace tacet::he_lower {

/// The bits of its budget that a drop may cost, in the order in which they are tried.
inline constexpr double kLosses[] = {0.5, 4.0, 8.0, 12.0, 18.0, 26.0, 36.0};

/// For no drops but those that caps ask for.
inline constexpr double kNoLoss = std::numeric_limits<double>::lowest();

/// Simulates traces of integers under a setting, and decides where primes are dropped.
class IntegerSimulation {
 public:
  IntegerSimulation(const Trace& trace, const Setting& setting, const he::OperationTimes& times)
      : trace_(trace),
        n_primes_(static_cast<uint32_t>(setting.data_sizes.size())),
        simulation_(trace, setting, times) {}

  /// Drops primes of a result as soon as that costs no more than `loss` bits of its budget; no
  /// group gets more primes than `caps` says. A program with drops of its own keeps those, and gets
  /// no others.
  [[nodiscard]] auto run(double loss, std::vector<uint32_t> caps) -> Outcome;

  /// No group has less than all primes.
  [[nodiscard]] auto full_caps() const -> std::vector<uint32_t> {
    return std::vector<uint32_t>(trace_.n_groups, n_primes_);
  }

  /// Caps that give these levels.
  [[nodiscard]] auto caps_of(const Levels& levels) const -> std::vector<uint32_t>;

  /// Steps simulated so far.
  [[nodiscard]] auto n_steps() const -> size_t { return simulation_.n_steps(); }

 private:
  const Trace& trace_;
  uint32_t n_primes_;
  Simulation<IntegerNoise> simulation_;
};

}  // namespace tacet::he_lower
