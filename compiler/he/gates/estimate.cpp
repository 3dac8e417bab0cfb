#include "compiler/he/gates/estimate.h"

namespace tacet::gates {

auto estimated_milliseconds(std::span<const uint32_t> level_sizes, const cggi::Parameters& p,
                            const cggi::BootstrapTimes& times) -> double {
  double sum = 0;
  for (const uint32_t n : level_sizes) {
    sum += times.level_milliseconds(p, n);
  }
  return sum;
}

}  // namespace tacet::gates
