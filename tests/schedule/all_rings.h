#pragma once

#include "compiler/he/lower/ring_costs.h"
#include "compiler/he/schedule/search.h"

namespace tacet::schedule {

/// Those that a program without ranges is laid out for.
inline auto all_rings() -> std::vector<RingCost> {
  std::vector<RingCost> result;
  for (const he_lower::Ring& ring : he_lower::possible_rings(he::default_operation_times(), {})) {
    result.push_back(ring.cost);
  }
  return result;
}

inline auto in_all_rings() -> SearchOptions {
  SearchOptions options;
  options.rings = all_rings();
  return options;
}

}  // namespace tacet::schedule
