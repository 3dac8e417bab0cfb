#include "cli/run/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "cli/memory_limit.h"
#include "cli/parties/plan_run.h"
#include "cli/report.h"
#include "cli/run/check_results.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/coordinated_run.h"
#include "cli/run/encrypted_parts.h"
#include "cli/run/encrypted_program.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/ranks.h"
#include "cli/run/run_by_parties.h"
#include "cli/run/run_compiled.h"
#include "cli/run/run_option_rules.h"
#include "cli/run/run_options.h"
#include "cli/run/run_report.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_target.h"
#include "cli/values/given_values.h"
#include "cli/values/result_file.h"
#include "cli/workspace_defaults.h"
#include "compiler/run/interpret/interpret.h"

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
    print_run_diagnostics(diagnostics, sources_, options_, invocation_);
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
    if (options_.purpose != RunPurpose::Run && is_coordinator) {
      return fails({"`--plan` cannot be used with a coordinator function; use it with the device "
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
    CoordinatedRun coordinated({.options = options_,
                                .invocation = invocation_,
                                .frontend = frontend_,
                                .sources = sources_,
                                .externs = externs_,
                                .seed = seed_,
                                .statistics = statistics_});
    if (const ExitCode code = coordinated.prepare(snapshot, entry, available);
        code != ExitCode::Done) {
      return code;
    }
    Result<std::vector<interpret::Value>> inputs = inputs_of(executable);
    if (!inputs) {
      return fails(inputs.error(), ExitCode::Usage);
    }
    Clock::time_point ready = Clock::now();
    interpret::RunResult result = coordinated.run(executable, *inputs);
    Clock::time_point end = Clock::now();
    statistics_.seconds.evaluate = seconds_between(ready, end);
    statistics_.seconds.total = seconds_between(start, end);
    statistics_.instructions = result.n_steps;
    statistics_.peak_memory_bytes = peak_memory_bytes();
    print(result.warnings);
    if (const Status ended = coordinated.end(); !ended) {
      return fails(ended.error(), ExitCode::Failed);
    }
    if (result.failure) {
      print({&*result.failure, 1});
      return ExitCode::Failed;
    }
    return deliver(executable.results, result.values);
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
    statistics_.seconds.schedule = compilation.schedule_seconds;
    statistics_.seconds.optimise = compilation.optimise_seconds;
    statistics_.seconds.total = seconds_between(start, Clock::now());
    statistics_.peak_memory_bytes = peak_memory_bytes();
    if (options_.is_checked) {
      const auto reference = [&] {
        return interpret::run(executable, *inputs,
                              machine_options(options_, externs_, request.random_key));
      };
      Result<ResultCheck> check = check_results(snapshot, request, *compilation.program, *inputs,
                                                run->values, reference, options_, invocation_);
      if (!check) {
        return fails(check.error(), ExitCode::Failed);
      }
      if (!check->fault.empty()) {
        return fails({"wrong result: " + check->fault}, ExitCode::Failed);
      }
      statistics_.check = {.is_done = true, .error = check->error};
    }
    return deliver(executable.results, run->values);
  }

  static auto is_coordinator_function(const program::FrontendSnapshot& snapshot, names::ItemId item)
      -> bool {
    const auto signature = snapshot.signature(item);
    return signature && signature->kind == names::ItemKind::Fn && !signature->is_device_function;
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
    Result<std::vector<interpret::EntryParameter>> parameters =
        bounded_parameters(executable.parameters, options_.ranges);
    if (!parameters) {
      return fails(parameters.error(), ExitCode::Usage);
    }
    MpcUse use = mpc_use_of(options_, mpc_lower::LowerResults::Shown);
    use.encrypted_calls = kernel::EncryptedCalls::Kept;
    MpcCompilation on_shares = compile_for_mpc(snapshot, entry, sources_, use);
    print(on_shares.diagnostics);
    if (!on_shares.program) {
      return on_shares.problem.empty() ? ExitCode::Failed
                                       : fails({on_shares.problem}, ExitCode::Failed);
    }
    const JointCompilation compilation = with_encrypted_parts(
        snapshot, std::move(on_shares), *parameters, options_, sources_, invocation_);
    print(compilation.diagnostics);
    if (!compilation.program) {
      return compilation.problem.empty() ? ExitCode::Failed
                                         : fails({compilation.problem}, ExitCode::Failed);
    }
    const std::string name(snapshot.interner().text(snapshot.item_key(entry).name));
    options_.beginning->function = name;
    if (options_.purpose != RunPurpose::Run) {
      return plan_run(
          {*compilation.program, *parameters, executable.results, name}, options_,
          [this] { return seed_.key(); }, invocation_);
    }
    auto outcome = run_by_parties(
        *compilation.program, *parameters, executable.results, options_,
        [this] { return seed_.key(); },
        [this](const std::vector<interpret::EntryParameter>& asked) {
          return given_values(
              asked, options_.values, options_.inputs, [this] { return seed_.key(); },
              options_.party.empty() ? Secrets::OfNobody : Secrets::OfThisParty, invocation_);
        },
        invocation_);
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

  const RunOptions& options_;
  Invocation& invocation_;
  RunStatistics* measured_;
  RunSeed seed_;
  program::Frontend frontend_;
  SourceSet sources_;
  HostFunctions externs_;
  RunStatistics statistics_;
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
  if (const std::string mistake = mistake_of_ranks(*completed); !mistake.empty()) {
    if (is_first_process()) {
      invocation.error(mistake);
    }
    return ExitCode::Usage;
  }
  if (!is_distributed(*completed)) {
    return ProgramRun(*completed, invocation, measured).run();
  }
  Result<std::shared_ptr<Ranks>> ranks = Ranks::join(*completed);
  if (!ranks) {
    if (is_first_process()) {
      invocation.error(ranks.error().message);
    }
    return ExitCode::Failed;
  }
  if (!(*ranks)->is_root()) {
    return within_memory(completed->memory_limit_mib, invocation,
                         [&] { return (*ranks)->serve(*completed); });
  }
  completed->ranks = *ranks;
  return ProgramRun(*completed, invocation, measured).run();
}

}  // namespace tacet::cli
