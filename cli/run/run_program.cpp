#include "cli/run/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "cli/memory_limit.h"
#include "cli/report.h"
#include "cli/run/check_results.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/coordinator_run.h"
#include "cli/run/encrypted_kernels.h"
#include "cli/run/encrypted_program.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/gpu_kernels.h"
#include "cli/run/gpu_trace.h"
#include "cli/run/run_by_parties.h"
#include "cli/run/run_compiled.h"
#include "cli/run/run_option_rules.h"
#include "cli/run/run_options.h"
#include "cli/run/run_report.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_target.h"
#include "cli/run/step_line.h"
#include "cli/values/given_values.h"
#include "cli/values/result_file.h"
#include "cli/workspace_defaults.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/program/mpc/draw.h"

namespace tacet::cli {

namespace {

using Clock = std::chrono::steady_clock;

auto seconds_between(Clock::time_point begin, Clock::time_point end) -> double {
  return std::chrono::duration<double>(end - begin).count();
}

/// One `tacet run`, from the options to the exit code.
class ProgramRun {
 public:
  ProgramRun(const RunOptions& options, Invocation& invocation, RunStatistics* measured)
      : options_(options), invocation_(invocation), measured_(measured), seed_(invocation) {}

  auto run() -> ExitCode {
    if (!check_options()) {
      return ExitCode::Usage;
    }
    if (const std::optional<std::string> text = compiled_text(options_.file)) {
      return run_compiled(*text, options_, invocation_, measured_);
    }
    if (options_.role != RunRole::Both) {
      invocation_.error(
          fmt::format("`--role` requires a compiled program; run `tacet build {0} -o OUT`, then "
                      "`tacet run OUT --role client`",
                      options_.file));
      return ExitCode::Usage;
    }
    ExternLibraries libraries;
    for (const std::string& path : options_.extern_libraries) {
      if (Status loaded = libraries.load(path); !loaded) {
        return fails(loaded.error(), ExitCode::Usage);
      }
    }
    Clock::time_point start = Clock::now();
    Result<LoadedProgram> program = load_program(options_.file, frontend_, sources_);
    if (!program) {
      return fails(program.error(), ExitCode::Failed);
    }
    if (Status swapped = swap_calls(options_.calls, *program, frontend_, sources_); !swapped) {
      return fails(swapped.error(), ExitCode::Usage);
    }
    if (Status set = set_layout(options_.layout, options_.target, *program, frontend_, sources_);
        !set) {
      return fails(set.error(), ExitCode::Usage);
    }
    program::FrontendSnapshot snapshot = frontend_.snapshot();
    for (FileId file : program->files) {
      static_cast<void>(snapshot.items(file));  // parses
    }
    Clock::time_point parsed = Clock::now();
    const auto show = [&](std::span<const Diagnostic> found) { print(found); };
    if (!check_program(snapshot, *program, show)) {
      return ExitCode::Failed;
    }
    Clock::time_point checked = Clock::now();
    statistics_.seconds.parse = seconds_between(start, parsed);
    statistics_.seconds.check = seconds_between(parsed, checked);
    Result<HostFunctions> externs = libraries.functions(extern_names(snapshot, program->files));
    if (!externs) {
      return fails(externs.error(), ExitCode::Usage);
    }
    externs_ = std::move(*externs);
    ExitCode code = evaluate(snapshot, *program, start);
    externs_.clear();  // before the libraries that they are in
    return code;
  }

 private:
  auto fails(const Error& error, ExitCode code) -> ExitCode {
    invocation_.error(error.message);
    return code;
  }

  /// What the command line gives for the parameters, within the bounds that it sets.
  auto inputs_of(const interpret::Executable& executable) -> Result<std::vector<interpret::Value>> {
    Result<std::vector<interpret::EntryParameter>> parameters =
        bounded_parameters(executable.parameters, options_.ranges);
    if (!parameters) {
      return parameters.error();
    }
    return given_values(
        *parameters, options_.values, options_.inputs, [this] { return seed_.key(); },
        Secrets::OfNobody, invocation_);
  }

  /// Whether the file of `--output` can have the results.
  auto check_output(const interpret::Executable& executable) const -> Status {
    if (options_.output.empty()) {
      return std::monostate{};
    }
    // A party may learn some of the results.
    return options_.party.empty() ? check_result_file(options_.output, executable.results)
                                  : check_result_path(options_.output);
  }

  auto check_options() -> bool {
    const bool is_compiled = compiled_text(options_.file).has_value();
    if (const std::string mistake = mistake_in(options_, is_compiled); !mistake.empty()) {
      invocation_.error(mistake);
      return false;
    }
    if (!seed_.take(options_.seed)) {
      return false;
    }
    return true;
  }

  void print(std::span<const Diagnostic> diagnostics) {
    print_diagnostics(diagnostics, sources_,
                      options_.format == RunFormat::Json ? Format::Json : Format::Human,
                      invocation_.err, invocation_.err_terminal);
  }

  auto evaluate(const program::FrontendSnapshot& snapshot, const LoadedProgram& program,
                Clock::time_point start) -> ExitCode {
    RunTarget target = options_.target;
    target.values = options_.values;
    target.inputs = options_.inputs;
    Result<names::ItemId> entry = find_target(snapshot, program.file, target);
    if (!entry) {
      return fails(entry.error(), ExitCode::Usage);
    }
    std::set<std::string, std::less<>> available;
    for (const auto& [name, function] : externs_) {
      available.insert(name);
    }
    interpret::Compilation compilation = interpret::compile(snapshot, *entry, available);
    if (!compilation.executable) {
      invocation_.error(fmt::format("cannot run `{}`: {}",
                                    snapshot.interner().text(snapshot.item_key(*entry).name),
                                    compilation.problem));
      return ExitCode::Failed;
    }
    const interpret::Executable& executable = *compilation.executable;
    if (const Status fits = check_output(executable); !fits) {
      return fails(fits.error(), ExitCode::Usage);
    }
    const bool is_coordinator = is_coordinator_function(snapshot, *entry);
    const bool is_encrypted = options_.device == RunDevice::He;
    if (options_.is_checked && is_coordinator) {
      return fails({"`--check` cannot be used with a coordinator function; use it with the device "
                    "functions that it calls"},
                   ExitCode::Usage);
    }
    if (is_encrypted && !is_coordinator) {
      return within_memory(options_.memory_limit_mib, invocation_,
                           [&] { return evaluate_encrypted(snapshot, *entry, executable, start); });
    }
    if (options_.device == RunDevice::Mpc && !is_coordinator) {
      return evaluate_by_parties(snapshot, *entry, executable, start);
    }
    const auto evaluate = [&] {
      return evaluate_here(snapshot, *entry, executable, available, start);
    };
    return is_encrypted ? within_memory(options_.memory_limit_mib, invocation_, evaluate)
                        : evaluate();
  }

  /// A coordinator function with all that it encodes, or anything on the reference interpreter.
  auto evaluate_here(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                     const interpret::Executable& executable,
                     const std::set<std::string, std::less<>>& available, Clock::time_point start)
      -> ExitCode {
    const bool is_encrypted = options_.device == RunDevice::He;
    const bool is_by_parties = options_.device == RunDevice::Mpc;
    if (options_.device != RunDevice::Ref) {
      PreparedCoordinator prepared = prepare_coordinator(snapshot, entry, available);
      coordinator_ = std::move(prepared.executable);
      if (prepared.obstacle) {
        report_obstacle(*prepared.obstacle);
      }
      statistics_.device = coordinator_ ? "coordinator" : "ref";
    }
    if ((is_by_parties && !give_kernels_to_parties(snapshot)) ||
        (is_encrypted && !encrypt_kernels(snapshot))) {
      return ExitCode::Failed;
    }
    if (const ExitCode code = take_gpu(snapshot); code != ExitCode::Done) {
      return code;
    }
    Result<std::vector<interpret::Value>> inputs = inputs_of(executable);
    if (!inputs) {
      return fails(inputs.error(), ExitCode::Usage);
    }
    Clock::time_point ready = Clock::now();
    interpret::RunResult result = run_with_progress(executable, *inputs);
    Clock::time_point end = Clock::now();
    statistics_.seconds.evaluate = seconds_between(ready, end);
    statistics_.seconds.total = seconds_between(start, end);
    statistics_.instructions = result.n_steps;
    statistics_.peak_memory_bytes = peak_memory_bytes();
    print(result.warnings);
    if (Result<bool> ended = end_devices(); !ended) {
      return fails(ended.error(), ExitCode::Failed);
    }
    if (result.failure) {
      print({&*result.failure, 1});
      return ExitCode::Failed;
    }
    return deliver(executable.results, result.values);
  }

  /// Ends what other devices did for a coordinator function, and takes down what it took.
  auto end_devices() -> Result<bool> {
    if (encrypted_ && !encrypted_->failure().empty()) {
      print(encrypted_->diagnostics());
      return Error{encrypted_->failure()};
    }
    if (encrypted_ && encrypted_->costs()) {
      statistics_.device = "he";
      set_encrypted_costs(*encrypted_->costs(), statistics_);
    }
    if (encrypted_ && encrypted_->bit_costs()) {
      set_encrypted_costs(*encrypted_->bit_costs(), statistics_);
    }
    if (const Status ended = end_gpu(); !ended) {
      return ended.error();
    }
    if (!parties_) {
      return true;
    }
    Result<std::optional<MpcCosts>> costs = end_parties(*parties_, options_);
    if (!parties_->failure().empty()) {
      return Error{parties_->failure()};
    }
    if (!costs) {
      return costs.error();
    }
    if (*costs) {
      statistics_.device = "mpc";
      statistics_.instructions = (*costs)->n_instructions;
      statistics_.mpc = std::move(*costs);
    }
    return true;
  }

  auto deliver(const std::vector<interpret::EntryResult>& results,
               const std::vector<interpret::Value>& values) -> ExitCode {
    statistics_.seed = seed_.text();
    statistics_.has_details = options_.wants_details;
    if (measured_ != nullptr) {
      *measured_ = statistics_;
      return ExitCode::Done;
    }
    return deliver_results(results, values, options_, statistics_, invocation_);
  }

  auto evaluate_encrypted(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                          const interpret::Executable& executable, Clock::time_point start)
      -> ExitCode {
    Result<std::vector<interpret::Value>> inputs = inputs_of(executable);
    if (!inputs) {
      return fails(inputs.error(), ExitCode::Usage);
    }
    const std::string name(snapshot.interner().text(snapshot.item_key(entry).name));
    const HeCompileRequest request{.item = entry,
                                   .name = name.empty() ? "main" : name,
                                   .parameters = &executable.parameters,
                                   .results = &executable.results,
                                   .sources = &sources_,
                                   .random_key = seed_.key_if(!executable.program.draws.empty())};
    const EncryptedCompilation compilation =
        compile_encrypted(snapshot, request, &*inputs, options_, invocation_);
    if (!compilation.program) {
      print(compilation.diagnostics);
      return compilation.problem.empty()
                 ? ExitCode::Failed
                 : fails({compilation.problem},
                         compilation.is_usage ? ExitCode::Usage : ExitCode::Failed);
    }
    PhaseLine line(invocation_);
    Result<EncryptedRun> run =
        run_encrypted(*compilation.program, executable, *inputs, options_, line);
    if (!run) {
      return fails(run.error(), ExitCode::Failed);
    }
    std::visit([&](const auto& costs) { set_encrypted_costs(costs, statistics_); }, run->costs);
    if (options_.is_checked &&
        !is_right(snapshot, request, executable, *compilation.program, *inputs, run->values)) {
      return ExitCode::Failed;
    }
    statistics_.seconds.schedule = compilation.schedule_seconds;
    statistics_.seconds.optimise = compilation.optimise_seconds;
    statistics_.seconds.total = seconds_between(start, Clock::now());
    statistics_.peak_memory_bytes = peak_memory_bytes();
    return deliver(executable.results, run->values);
  }

  /// Whether the same function in the clear has these results; what is wrong has been reported.
  auto is_right(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                const interpret::Executable& executable, const EncryptedProgram& program,
                const std::vector<interpret::Value>& inputs,
                const std::vector<interpret::Value>& results) -> bool {
    interpret::RunResult expected = run_with_progress(executable, inputs);
    if (expected.failure) {
      print({&*expected.failure, 1});
      return false;
    }
    Result<ResultCheck> check = check_results(snapshot, request, program, inputs, results,
                                              expected.values, options_, invocation_);
    if (!check || !check->fault.empty()) {
      invocation_.error(check ? fmt::format("wrong result: {}", check->fault)
                              : fmt::format("cannot check the results: {}", check.error().message));
      return false;
    }
    statistics_.check = {.is_done = true, .error = check->error};
    return true;
  }

  static auto is_coordinator_function(const program::FrontendSnapshot& snapshot, names::ItemId item)
      -> bool {
    const auto signature = snapshot.signature(item);
    return signature && signature->kind == names::ItemKind::Fn && !signature->is_device_function;
  }

  /// What a coordinator function encodes for `mpc` is computed by the parties, all of it in one
  /// run. False if a kernel has no form there, which has been reported.
  auto give_kernels_to_parties(const program::FrontendSnapshot& snapshot) -> bool {
    if (!coordinator_) {
      invocation_.error("the reference interpreter does not support `--device mpc`");
      return false;
    }
    if (!options_.party.empty()) {
      invocation_.error(
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
          snapshot, item, sources_, mpc_use_of(options_, mpc_lower::LowerResults::GoOn));
      print(compilation.diagnostics);
      if (!compilation.program) {
        if (!compilation.problem.empty()) {
          invocation_.error(compilation.problem);
        }
        return false;
      }
      programs.back() = std::move(compilation.program);
    }
    parties_draw_ = std::any_of(programs.begin(), programs.end(), [](const auto& program) {
      return program && engine::has_public_draws(*program);
    });
    Result<std::unique_ptr<mpc::PartiesDevice>> device =
        make_parties_device(coordinator_->assembled.program, std::move(programs), options_,
                            seed_.key_if(parties_draw_));
    if (!device) {
      invocation_.error(device.error().message);
      return false;
    }
    parties_ = std::move(*device);
    return true;
  }

  /// What a coordinator function encodes for `he` is encrypted. False if it cannot be, which has
  /// been reported.
  auto encrypt_kernels(const program::FrontendSnapshot& snapshot) -> bool {
    if (!coordinator_) {
      invocation_.error("the reference interpreter does not support `--device he`");
      return false;
    }
    encrypted_.emplace(snapshot, sources_, options_, invocation_);
    Result<std::vector<engine::Kernel>> kernels =
        encrypted_->kernels(coordinator_->lowered.kernel_items, EncryptedKernels::Grid::Given);
    if (!kernels) {
      invocation_.error(kernels.error().message);
      return false;
    }
    kernels_ = std::move(*kernels);
    return true;
  }

  /// Lets a GPU run the kernels that a coordinator function encodes for it, if there are both; what
  /// is wrong has been reported.
  auto take_gpu(const program::FrontendSnapshot& snapshot) -> ExitCode {
    if (options_.device == RunDevice::Gpu && !coordinator_) {
      return fails({"`--device gpu` requires a coordinator function"}, ExitCode::Usage);
    }
    if (coordinator_) {
      gpu_ = prepare_gpu({frontend_, snapshot, *coordinator_, externs_, options_});
    }
    statistics_.seconds.prepare = gpu_.seconds;
    print(gpu_.diagnostics);
    if (!gpu_.problem.empty()) {
      return fails({gpu_.problem}, ExitCode::Failed);
    }
    if (!gpu_.note.empty()) {
      invocation_.err.write(fmt::format("tacet: note: {}\n", gpu_.note));
    }
    if (!options_.trace.empty() && !gpu_.device && options_.device != RunDevice::Mpc) {
      return fails({"`--trace` requires `--device mpc`, or a coordinator function with kernels on "
                    "a GPU"},
                   ExitCode::Usage);
    }
    return gpu_.diagnostics.empty() ? ExitCode::Done : ExitCode::Failed;
  }

  /// What the GPU did, into the statistics and the file of `--trace`.
  auto end_gpu() -> Status {
    if (gpu_.by == GpuKernelsBy::Nobody) {
      return std::monostate{};
    }
    statistics_.gpu = gpu_costs(gpu_);
    if (!gpu_.device) {
      return std::monostate{};
    }
    statistics_.device = "gpu";
    return options_.trace.empty() || parties_
               ? Status(std::monostate{})
               : write_gpu_trace(options_.trace, coordinator_->assembled.program, *gpu_.device);
  }

  void measure_parties(MpcCosts costs, Clock::time_point start) {
    statistics_.device = "mpc";
    statistics_.instructions = costs.n_instructions;
    statistics_.seconds.evaluate = costs.seconds;
    statistics_.seconds.total = seconds_between(start, Clock::now());
    statistics_.peak_memory_bytes = peak_memory_bytes();
    statistics_.mpc = std::move(costs);
  }

  auto evaluate_by_parties(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                           const interpret::Executable& executable, Clock::time_point start)
      -> ExitCode {
    const MpcCompilation compilation = compile_for_mpc(
        snapshot, entry, sources_, mpc_use_of(options_, mpc_lower::LowerResults::Shown));
    print(compilation.diagnostics);
    if (!compilation.program) {
      return compilation.problem.empty() ? ExitCode::Failed
                                         : fails({compilation.problem}, ExitCode::Failed);
    }
    Result<std::vector<interpret::EntryParameter>> parameters =
        bounded_parameters(executable.parameters, options_.ranges);
    if (!parameters) {
      return fails(parameters.error(), ExitCode::Usage);
    }
    auto outcome = run_by_parties(
        *compilation.program, *parameters, executable.results, options_,
        [this] { return seed_.key(); }, invocation_);
    if (const auto* failure = std::get_if<PartiesFailure>(&outcome)) {
      return fails({failure->message}, failure->code);
    }
    ByParties& run = std::get<ByParties>(outcome);
    measure_parties(std::move(run.costs), start);
    if (run.random_key) {
      seed_.show(*run.random_key);
    }
    if (run.results.empty() && !options_.party.empty()) {
      invocation_.err.write(
          fmt::format("tacet: party `{}` is done; no result is for it\n", options_.party));
    }
    return deliver(run.results, run.values);
  }

  /// Why a coordinator function does not run on the coordinator machine.
  void report_obstacle(const cps::Unsupported& obstacle) {
    invocation_.err.write(
        fmt::format("tacet: note: {}: {} is not supported by the coordinator machine yet; running "
                    "on the reference interpreter\n",
                    sources_.position_text(obstacle.place), obstacle.what));
  }

  auto run_with_progress(const interpret::Executable& executable,
                         const std::vector<interpret::Value>& inputs) -> interpret::RunResult {
    StepLine line(invocation_);
    interpret::MachineOptions machine;
    machine.memory_limit_bytes =
        options_.memory_limit_mib == 0 ? default_memory_limit() : options_.memory_limit_mib << 20;
    machine.externs = externs_;
    // What parties draw in secret is no function of the seed.
    machine.random_key = seed_.key_if(parties_ ? parties_draw_ : !executable.program.draws.empty());
    machine.progress = [&](uint64_t n_steps) { line.show(n_steps); };
    return coordinator_ ? run_coordinator(*coordinator_, executable, inputs, machine,
                                          {parties_.get(), gpu_.device.get()}, kernels_)
                        : interpret::run(executable, inputs, machine);
  }

  const RunOptions& options_;
  Invocation& invocation_;
  RunStatistics* measured_;
  RunSeed seed_;
  program::Frontend frontend_;
  SourceSet sources_;
  HostFunctions externs_;
  /// Of a coordinator function, unless the reference device is requested.
  std::optional<CoordinatorExecutable> coordinator_;
  RunStatistics statistics_;
  bool parties_draw_ = false;  ///< what all of them know
  std::optional<EncryptedKernels> encrypted_;
  GpuPreparation gpu_;
  std::vector<engine::Kernel> kernels_;          ///< by number: those of it
  std::unique_ptr<mpc::PartiesDevice> parties_;  ///< for what a coordinator function encodes
};

}  // namespace

auto run_program(const RunOptions& options, Invocation& invocation, RunStatistics* measured)
    -> ExitCode {
  Result<RunOptions> completed = with_workspace_defaults(options);
  if (!completed) {
    invocation.error(completed.error().message);
    return ExitCode::Failed;
  }
  completed->planned_memory_mib = completed->memory_limit_mib == 0
                                      ? std::max<uint64_t>(default_memory_limit() >> 20, 1)
                                      : completed->memory_limit_mib;
  return ProgramRun(*completed, invocation, measured).run();
}

}  // namespace tacet::cli
