#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/program/coordinator/coordinator.h"

namespace tacet::engine {

/// A computation that the host supplies: reads `inputs`, fills `outputs`, gives zero if that went
/// well. The grid comes first, then scalars and elements of arrays in order, as cells. Empty for
/// what the host does not have.
using Kernel = std::function<int(std::span<const int64_t> inputs, std::span<int64_t> outputs)>;

/// How a kernel, or what a device was asked to do, went.
struct Outcome {
  enum class Kind : uint8_t { Done, MissingKernel, FailedKernel, Misuse };
  Kind kind = Kind::Done;
  int status = 0;     ///< of a kernel that failed
  uint32_t site = 0;  ///< the instruction that submitted it
};

/// Runs a kernel on cells. Nothing forces a host to stay in the range of a type: what it gives is
/// wrapped.
auto run_kernel(const CoordinatorKernel& kernel, const Kernel& function,
                std::span<const Cell> inputs, std::span<Cell> outputs) -> Outcome;

}  // namespace tacet::engine
