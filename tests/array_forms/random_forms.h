#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tacet::testing {

/// A module with a function `f` that uses slices, ranges, `concat` and loops over elements, and
/// with a function `g` that computes the same with counters and indices alone.
struct RandomForms {
  std::string text;
  std::string type;                           ///< of the elements
  std::vector<std::vector<int64_t>> extents;  ///< of the parameters
  bool is_loop_free = true;                   ///< `f` is an array program, if its type is
};

auto random_forms(std::mt19937_64& random) -> RandomForms;

}  // namespace tacet::testing
