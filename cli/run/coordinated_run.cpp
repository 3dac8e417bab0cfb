#include "cli/run/coordinated_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/memory_limit.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/gpu_trace.h"
#include "cli/run/run_by_parties.h"
#include "cli/run/step_line.h"
#include "engine/program/mpc/draw.h"

namespace tacet::cli {

auto machine_options(const RunOptions& options, const HostFunctions& externs,
                     engine::PublicRandomKey key) -> interpret::MachineOptions {
  interpret::MachineOptions machine;
  machine.memory_limit_bytes =
      options.memory_limit_mib == 0 ? default_memory_limit() : options.memory_limit_mib << 20;
  machine.externs = externs;
  machine.random_key = key;
  return machine;
}

auto CoordinatedRun::fails(const std::string& message, ExitCode code) -> ExitCode {
  host_.invocation.error(message);
  return code;
}

void CoordinatedRun::print(std::span<const Diagnostic> diagnostics) {
  print_run_diagnostics(diagnostics, host_.sources, host_.options, host_.invocation);
}

auto CoordinatedRun::prepare(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                             const std::set<std::string, std::less<>>& available) -> ExitCode {
  const RunDevice device = host_.options.device;
  if (device != RunDevice::Ref) {
    PreparedCoordinator prepared = prepare_coordinator(snapshot, entry, available);
    coordinator_ = std::move(prepared.executable);
    if (prepared.obstacle) {
      report_obstacle(*prepared.obstacle);
    }
    host_.statistics.device = coordinator_ ? "coordinator" : "ref";
  }
  if ((device == RunDevice::Mpc && !give_kernels_to_parties(snapshot)) ||
      (device == RunDevice::He && !encrypt_kernels(snapshot))) {
    return ExitCode::Failed;
  }
  return take_gpu(snapshot);
}

auto CoordinatedRun::run(const interpret::Executable& executable,
                         const std::vector<interpret::Value>& inputs) -> interpret::RunResult {
  StepLine line(host_.invocation);
  // What parties draw in secret is no function of the seed.
  const bool draws = parties_ ? parties_draw_ : !executable.program.draws.empty();
  interpret::MachineOptions machine =
      machine_options(host_.options, host_.externs, host_.seed.key_if(draws));
  machine.progress = [&](uint64_t n_steps) { line.show(n_steps); };
  return coordinator_ ? run_coordinator(*coordinator_, executable, inputs, machine,
                                        {parties_.get(), gpu_.device.get()}, kernels_)
                      : interpret::run(executable, inputs, machine);
}

auto CoordinatedRun::end() -> Status {
  if (encrypted_ && !encrypted_->failure().empty()) {
    print(encrypted_->diagnostics());
    return Error{encrypted_->failure()};
  }
  if (encrypted_ && encrypted_->costs()) {
    host_.statistics.device = "he";
    set_encrypted_costs(*encrypted_->costs(), host_.statistics);
  }
  if (encrypted_ && encrypted_->bit_costs()) {
    set_encrypted_costs(*encrypted_->bit_costs(), host_.statistics);
  }
  if (const Status ended = end_gpu(); !ended) {
    return ended.error();
  }
  if (!parties_) {
    return std::monostate{};
  }
  Result<std::optional<MpcCosts>> costs = end_parties(*parties_, host_.options);
  if (!costs) {
    return costs.error();
  }
  if (*costs) {
    host_.statistics.device = "mpc";
    host_.statistics.instructions = (*costs)->n_instructions;
    host_.statistics.mpc = std::move(*costs);
  }
  return std::monostate{};
}

auto CoordinatedRun::give_kernels_to_parties(const program::FrontendSnapshot& snapshot) -> bool {
  if (!coordinator_) {
    host_.invocation.error("the reference interpreter does not support `--device mpc`");
    return false;
  }
  if (!host_.options.party.empty()) {
    host_.invocation.error(
        "`--party` cannot be used with a coordinator function, which runs all parties on this "
        "machine; use it with a device function");
    return false;
  }
  std::vector<std::optional<engine::MpcProgram>> programs;
  for (const names::ItemId item : coordinator_->lowered.kernel_items) {
    programs.emplace_back();
    const auto signature = snapshot.signature(item);
    if (!signature->is_device_function || !signature->is_for(names::Device::Mpc)) {
      continue;
    }
    MpcCompilation compilation = compile_for_mpc(
        snapshot, item, host_.sources, mpc_use_of(host_.options, mpc_lower::LowerResults::GoOn));
    print(compilation.diagnostics);
    if (!compilation.program) {
      if (!compilation.problem.empty()) {
        host_.invocation.error(compilation.problem);
      }
      return false;
    }
    programs.back() = std::move(compilation.program);
  }
  parties_draw_ = std::any_of(programs.begin(), programs.end(), [](const auto& program) {
    return program && engine::has_public_draws(*program);
  });
  Result<std::unique_ptr<engine::Device>> device =
      make_parties_device(coordinator_->assembled.program, std::move(programs), host_.options,
                          host_.seed.key_if(parties_draw_));
  if (!device) {
    host_.invocation.error(device.error().message);
    return false;
  }
  parties_ = std::move(*device);
  return true;
}

auto CoordinatedRun::encrypt_kernels(const program::FrontendSnapshot& snapshot) -> bool {
  if (!coordinator_) {
    host_.invocation.error("the reference interpreter does not support `--device he`");
    return false;
  }
  encrypted_.emplace(snapshot, host_.sources, host_.options, host_.invocation);
  Result<std::vector<engine::Kernel>> kernels =
      encrypted_->kernels(coordinator_->lowered.kernel_items, EncryptedKernels::Grid::Given);
  if (!kernels) {
    host_.invocation.error(kernels.error().message);
    return false;
  }
  kernels_ = std::move(*kernels);
  return true;
}

auto CoordinatedRun::take_gpu(const program::FrontendSnapshot& snapshot) -> ExitCode {
  if (host_.options.device == RunDevice::Gpu && !coordinator_) {
    return fails("`--device gpu` requires a coordinator function", ExitCode::Usage);
  }
  if (coordinator_) {
    gpu_ = prepare_gpu({host_.frontend, snapshot, *coordinator_, host_.externs, host_.options});
  }
  host_.statistics.seconds.prepare = gpu_.seconds;
  print(gpu_.diagnostics);
  if (!gpu_.problem.empty()) {
    return fails(gpu_.problem, ExitCode::Failed);
  }
  if (!gpu_.note.empty()) {
    host_.invocation.err.write(fmt::format("tacet: note: {}\n", gpu_.note));
  }
  if (!host_.options.trace.empty() && !gpu_.device && host_.options.device != RunDevice::Mpc) {
    return fails({"`--trace` requires `--device mpc`, or a coordinator function with kernels on "
                  "a GPU"},
                 ExitCode::Usage);
  }
  return gpu_.diagnostics.empty() ? ExitCode::Done : ExitCode::Failed;
}

auto CoordinatedRun::end_gpu() -> Status {
  if (gpu_.by == GpuKernelsBy::Nobody) {
    return std::monostate{};
  }
  host_.statistics.gpu = gpu_costs(gpu_);
  if (!gpu_.device) {
    return std::monostate{};
  }
  host_.statistics.device = "gpu";
  return host_.options.trace.empty() || parties_
             ? Status(std::monostate{})
             : write_gpu_trace(host_.options.trace, coordinator_->assembled.program, *gpu_.device);
}

void CoordinatedRun::report_obstacle(const cps::Unsupported& obstacle) {
  host_.invocation.err.write(
      fmt::format("tacet: note: {}: {} is not supported by the coordinator machine yet; running "
                  "on the reference interpreter\n",
                  host_.sources.position_text(obstacle.place), obstacle.what));
}

}  // namespace tacet::cli
