#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/interpret/interpret.h"

namespace tacet::cli {

/// Where the time of a run went.
struct RunSeconds {
  double parse = 0;
  double check = 0;
  double evaluate = 0;
  double total = 0;
};

/// What a run cost.
struct RunStatistics {
  std::string device = "ref";
  uint64_t peak_memory_bytes = 0;
  uint64_t instructions = 0;
  std::string seed;  ///< empty if nothing was random
  RunSeconds seconds;
};

/// `name = value`, a line each, and the statistics as a table if there are any.
auto results_for_people(const std::vector<interpret::EntryResult>& results,
                        const std::vector<interpret::Value>& values,
                        const RunStatistics* statistics) -> std::string;

/// One JSON object and a line end. Numbers that JSON lacks are strings: `"nan"`, `"inf"`.
auto results_as_json(const std::vector<interpret::EntryResult>& results,
                     const std::vector<interpret::Value>& values, const RunStatistics* statistics)
    -> std::string;

}  // namespace tacet::cli
