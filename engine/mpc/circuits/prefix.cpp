#include "engine/mpc/circuits/prefix.h"

namespace tacet::mpc {

auto sklansky_levels(unsigned n) -> std::vector<std::vector<PrefixStep>> {
  std::vector<std::vector<PrefixStep>> levels;
  for (unsigned block = 1; block < n; block *= 2) {
    std::vector<PrefixStep> steps;
    for (unsigned high = 0; high < n; ++high) {
      if ((high & block) != 0) {
        const unsigned low = (high & ~(block - 1)) - 1;
        steps.push_back({.high = high, .low = low, .is_complete = low < block});
      }
    }
    levels.push_back(std::move(steps));
  }
  return levels;
}

}  // namespace tacet::mpc
