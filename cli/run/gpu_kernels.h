#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/run/coordinator_run.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/run_options.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "engine/gpu/gpu_device.h"

namespace tacet::cli {

/// Who computes what a coordinator function encodes for `gpu`.
enum class GpuKernelsBy : uint8_t { Nobody, Gpu, Externs, Specifications };

/// How its kernels will be run.
struct GpuPreparation {
  GpuKernelsBy by = GpuKernelsBy::Nobody;
  std::unique_ptr<engine::GpuDevice> device;  ///< if `by` is `Gpu`
  std::vector<Diagnostic> diagnostics;        ///< what is wrong with kernels
  std::string note;               ///< what the user should know of who computes; may be empty
  std::string problem;            ///< why nothing can run; may be empty
  std::optional<double> seconds;  ///< to compile, check and open, if there is a device
};

struct GpuRequest {
  const program::Frontend& frontend;
  const program::FrontendSnapshot& snapshot;
  const CoordinatorExecutable& coordinator;
  const HostFunctions& externs;
  const RunOptions& options;
};

/// Decides who computes the kernels, and prepares the GPU if it does:
///
/// * functions of `--extern`, if they supply all kernels, which the note says;
/// * else the GPU, with the kernels of the declared files, under `--device auto` and `gpu`;
/// * else, but not under `--device gpu`, the specifications of their classes, which the note says.
///
/// Kernels for the GPU that are not what their declarations say are reported, even if there is
/// none.
auto prepare_gpu(const GpuRequest& request) -> GpuPreparation;

/// What kernels cost.
struct GpuCosts {
  GpuKernelsBy by = GpuKernelsBy::Gpu;
  engine::GpuName name;              ///< of the GPU, if it ran them, and what it did
  engine::GpuStatistics statistics;  ///< likewise
};
auto gpu_costs(const GpuPreparation& gpu) -> GpuCosts;

/// What is wrong with the kernel of an extern, apart from what the device that is to run it lacks;
/// `code` is its SPIR-V if nothing is. An error if kernels cannot be compiled here.
struct CheckedKernel {
  std::vector<Diagnostic> diagnostics;
  std::optional<engine::GpuKernel> kernel;
};
auto check_gpu_kernel(const program::Frontend& frontend, const program::FrontendSnapshot& snapshot,
                      names::ItemId item) -> Result<CheckedKernel>;

/// What is wrong with the kernels of a file that has no errors, by place. Kernels without a file
/// may be host functions, and where kernels cannot be compiled nothing is known of them.
auto kernel_problems(const program::Frontend& frontend, const program::FrontendSnapshot& snapshot,
                     FileId file) -> std::vector<Diagnostic>;

}  // namespace tacet::cli
