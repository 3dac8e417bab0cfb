#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/result.h"

namespace tacet {

/// What a child may take; 0 is as much as there is.
struct ChildLimits {
  std::chrono::milliseconds time{0};
  uint64_t cpu_seconds = 0;   ///< of all its threads together
  uint64_t memory_bytes = 0;  ///< that it writes to
  uint64_t file_bytes = 0;    ///< of each file that it writes
};

struct ChildOutput {
  int exit_code = 0;  ///< 128 and the signal's number if one ended it
  std::string output;
  std::string errors;
  bool is_out_of_time = false;  ///< it was killed for that
};

/// Runs `arguments[0]`, a path, with the others, in `folder`, with nothing on its standard input,
/// and waits for its end. A cancelled one is killed. Of each stream at most 1 MiB is kept. An error
/// if it cannot be started.
auto run_child(const std::vector<std::string>& arguments, const std::string& folder,
               const CancellationToken& token, const ChildLimits& limits = {})
    -> Result<ChildOutput>;

}  // namespace tacet
