#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/mpc/party.h"

namespace tacet::mpc {

/// One thing to measure: `repetitions` sequential runs of a kernel on `n` operands, whose shares
/// are made before the clock starts.
struct Measured {
  std::string name;
  size_t n = 1;
  size_t repetitions = 1;
  /// Makes the operands; what it gives is timed.
  std::function<Task<std::function<Task<>()>>(Party&)> prepare;
};

/// All kernels whose figures bench/README.md has.
auto measured_kernels() -> std::vector<Measured>;

}  // namespace tacet::mpc
