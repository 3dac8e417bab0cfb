#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tacet::testing {

/// A module with a function `f` on tuples, records and arrays of records, and with a function `g`
/// that computes the same with a variable for each column, flattened by hand. Fields are secret or
/// public as it happens, and so are results.
struct RandomRecords {
  std::string text;
  std::vector<std::vector<int64_t>> extents;  ///< of the columns of the parameters
};

/// With `all_secret` all fields and results are, so that the module has no mistakes.
auto random_records(std::mt19937_64& random, bool all_secret) -> RandomRecords;

}  // namespace tacet::testing
