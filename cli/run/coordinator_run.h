#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/run/cps/assemble.h"
#include "compiler/run/cps/lower.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/gpu/gpu_device.h"
#include "engine/runtime/device.h"

namespace tacet::cli {

/// A coordinator function, ready for the coordinator machine. What it runs on a device, and externs
/// that the host does not have, are computed by the reference interpreter.
struct CoordinatorExecutable {
  cps::Lowered lowered;
  cps::Assembled assembled;
  /// By kernel: its substitute, or nothing if the host has it or nobody does.
  std::vector<std::optional<interpret::Program>> stand_ins;
  /// By kernel: the coordinator function that it is, or none.
  std::vector<std::optional<uint32_t>> functions;
  /// By kernel: its name among the functions of the host.
  std::vector<std::string> kernel_names;
  /// By kernel: leading inputs that a function of the host does not get, its grid.
  std::vector<uint32_t> n_hidden_inputs;
  /// Of the function: leading arguments that are its grid.
  uint32_t n_dims = 0;
};

/// What became of making a function ready: neither if it is no coordinator function.
struct PreparedCoordinator {
  std::optional<CoordinatorExecutable> executable;
  /// What the machine has no form for, and where that stands.
  std::optional<cps::Unsupported> obstacle;
};

/// Makes `entry` ready to run.
auto prepare_coordinator(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                         const std::set<std::string, std::less<>>& available_externs)
    -> PreparedCoordinator;

/// What runs encoded commands, where the host does not.
struct CoordinatorDevices {
  engine::Device* parties = nullptr;  ///< for `mpc`
  engine::GpuDevice* gpu = nullptr;
};

/// Runs it on `inputs`, to results of which `entry` says the parameters and results. Reports the
/// same as `interpret::run` for the same function. What is encoded for a device is run by that
/// of `devices`, if there is one, a kernel that `encrypted` has (by number) by that, and all else
/// on the host in plaintext.
auto run_coordinator(const CoordinatorExecutable& executable, const interpret::Executable& entry,
                     const std::vector<interpret::Value>& inputs,
                     const interpret::MachineOptions& options, CoordinatorDevices devices = {},
                     const std::vector<engine::Kernel>& encrypted = {}) -> interpret::RunResult;

}  // namespace tacet::cli
