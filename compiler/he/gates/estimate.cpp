#include "compiler/he/gates/estimate.h"

#include <algorithm>
#include <cmath>

namespace tacet::gates {

auto estimated_milliseconds(const Compiled& compiled, unsigned n_threads) -> double {
  constexpr double kCyclesPerMillisecond = 3e6;
  constexpr double kLockStep = 4;
  double sum = 0;
  for (const uint32_t size : level_sizes(compiled.circuit.graph)) {
    const double per_thread = std::ceil(static_cast<double>(size) / n_threads);
    const double cycles =
        cggi::bootstrap_cost(compiled.chosen.parameters, std::min(per_thread, kLockStep)).cycles;
    sum += per_thread * cycles / kCyclesPerMillisecond;
  }
  return sum;
}

}  // namespace tacet::gates
