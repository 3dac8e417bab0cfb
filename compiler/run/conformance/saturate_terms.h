#pragma once

#include "compiler/run/conformance/random_points.h"

namespace tacet::conformance {

struct SaturationLimits {
  size_t max_terms = 200;  ///< that the pairs are made of; of more, nothing is tried
  size_t max_nodes = 5'000;
  size_t max_rounds = 10;
};

/// Whether saturation finds every pair equal: under the axioms of commutative rings, and what also
/// holds of bits, selects, least and greatest numbers, which no polynomial says.
auto are_equal_by_saturation(const Terms& terms, const TermPairs& pairs,
                             const SaturationLimits& limits = {}) -> bool;

}  // namespace tacet::conformance
