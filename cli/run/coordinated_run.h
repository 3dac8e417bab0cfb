#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/run/coordinator_run.h"
#include "cli/run/encrypted_kernels.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/gpu_kernels.h"
#include "cli/run/run_report.h"
#include "cli/run/run_seed.h"

namespace tacet::cli {

/// What the reference machine runs under, but for progress.
auto machine_options(const RunOptions& options, const HostFunctions& externs,
                     engine::PublicRandomKey key) -> interpret::MachineOptions;

/// A coordinator function with all that it encodes for other devices, or anything on the reference
/// interpreter.
class CoordinatedRun {
 public:
  /// What belongs to the whole run.
  struct Host {
    const RunOptions& options;
    Invocation& invocation;
    program::Frontend& frontend;
    SourceSet& sources;
    const HostFunctions& externs;
    RunSeed& seed;
    RunStatistics& statistics;
  };

  explicit CoordinatedRun(const Host& host) : host_(host) {}

  /// Makes the function ready, and takes the devices that the options name; what is wrong has been
  /// reported.
  auto prepare(const program::FrontendSnapshot& snapshot, names::ItemId entry,
               const std::set<std::string, std::less<>>& available) -> ExitCode;

  auto run(const interpret::Executable& executable, const std::vector<interpret::Value>& inputs)
      -> interpret::RunResult;

  /// Ends what other devices did for a coordinator function, and takes down what it took.
  auto end() -> Status;

 private:
  auto fails(const std::string& message, ExitCode code) -> ExitCode;
  void print(std::span<const Diagnostic> diagnostics);
  /// Why a coordinator function does not run on the coordinator machine.
  void report_obstacle(const cps::Unsupported& obstacle);
  /// What it encodes for `mpc` is computed by the parties, all of it in one run. False if a kernel
  /// has no form there, which has been reported.
  auto give_kernels_to_parties(const program::FrontendSnapshot& snapshot) -> bool;
  /// What it encodes for `he` is encrypted. False if it cannot be, which has been reported.
  auto encrypt_kernels(const program::FrontendSnapshot& snapshot) -> bool;
  /// Lets a GPU run the kernels that it encodes for it, if there are both; what is wrong has been
  /// reported.
  auto take_gpu(const program::FrontendSnapshot& snapshot) -> ExitCode;
  /// What the GPU did, into the statistics and the file of `--trace`.
  auto end_gpu() -> Status;

  Host host_;
  /// Of a coordinator function, unless the reference device is requested.
  std::optional<CoordinatorExecutable> coordinator_;
  bool parties_draw_ = false;  ///< what all of them know
  std::optional<EncryptedKernels> encrypted_;
  GpuPreparation gpu_;
  std::vector<engine::Kernel> kernels_;      ///< by number: those of it
  std::unique_ptr<engine::Device> parties_;  ///< for what a coordinator function encodes
};

}  // namespace tacet::cli
