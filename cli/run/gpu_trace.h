#pragma once

#include <string>

#include "base/result.h"
#include "engine/gpu/gpu_device.h"

namespace tacet::cli {

/// Writes a run with kernels on a GPU in the Chrome trace format, which opens in Perfetto: a
/// process for the coordinator, with what it submits and waits for, and one for the GPU, with the
/// kernels. What the coordinator does besides shows as the gaps between.
auto write_gpu_trace(const std::string& path, const engine::CoordinatorProgram& program,
                     const engine::GpuDevice& device) -> Status;

}  // namespace tacet::cli
