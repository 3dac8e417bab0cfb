#include <fmt/format.h>

#include <chrono>

#include "cli/memory_limit.h"
#include "cli/run/coordinated_run.h"
#include "cli/run/run_by_parties.h"
#include "interface/errors.h"
#include "interface/programs.h"
#include "interface/values.h"

namespace tacet::interface {

namespace {

using Clock = std::chrono::steady_clock;

/// One run of a program.
class Run {
 public:
  Run(const Program& program, const tacet_input* inputs, size_t n_inputs, const Listener& listener)
      : program_(program),
        inputs_(inputs),
        n_inputs_(n_inputs),
        quiet_(listener),
        seed_(quiet_.get()) {}

  auto run(tacet_values** values) -> tacet_error* {
    if (!seed_.take(program_.options.seed)) {
      return error_of(TACET_USAGE, quiet_.message());
    }
    tacet_error* error = program_.parties          ? by_parties()
                         : program_.encrypted      ? encrypted()
                         : program_.is_coordinator ? coordinated()
                                                   : on_reference();
    if (error != nullptr) {
      return error;
    }
    statistics_.seed = seed_.text();
    statistics_.peak_memory_bytes = cli::peak_memory_bytes();
    statistics_.seconds.total = seconds_since(start_);
    stop_if_cancelled();
    *values = values_for_caller(std::move(results_), std::move(values_), std::move(statistics_));
    return nullptr;
  }

 private:
  static auto seconds_since(Clock::time_point start) -> double {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  auto given(const std::vector<interpret::EntryParameter>& parameters)
      -> Result<std::vector<interpret::Value>> {
    return values_of_inputs(parameters, inputs_, n_inputs_, [this] { return seed_.key(); });
  }

  auto take(interpret::RunResult result) -> tacet_error* {
    stop_if_cancelled();
    statistics_.instructions = result.n_steps;
    if (result.failure) {
      const auto lock = locked(*program_.sources);
      tacet_error* error = error_of({&*result.failure, 1}, program_.sources->shown);
      error->status = TACET_FAILED;  // the program is right, its values are not
      return error;
    }
    results_ = program_.executable.results;
    values_ = std::move(result.values);
    return nullptr;
  }

  auto on_reference() -> tacet_error* {
    Result<std::vector<interpret::Value>> inputs = given(program_.executable.parameters);
    if (!inputs) {
      return error_of(TACET_USAGE, inputs.error());
    }
    quiet_.begin("running");
    const Clock::time_point start = Clock::now();
    interpret::RunResult result = interpret::run(
        program_.executable, *inputs,
        cli::machine_options(program_.options, {},
                             seed_.key_if(!program_.executable.program.draws.empty())));
    statistics_.seconds.evaluate = seconds_since(start);
    return take(std::move(result));
  }

  auto coordinated() -> tacet_error* {
    Sources& sources = *program_.sources;
    const auto lock = locked(sources);
    const cli::HostFunctions externs;
    cli::CoordinatedRun run({.options = program_.options,
                             .invocation = quiet_.get(),
                             .frontend = sources.frontend,
                             .sources = sources.shown,
                             .externs = externs,
                             .seed = seed_,
                             .statistics = statistics_});
    if (run.prepare(sources.frontend.snapshot(), program_.item, {}) != cli::ExitCode::Done) {
      return error_of(TACET_REJECTED, quiet_.message());
    }
    Result<std::vector<interpret::Value>> inputs = given(program_.executable.parameters);
    if (!inputs) {
      return error_of(TACET_USAGE, inputs.error());
    }
    const Clock::time_point start = Clock::now();
    interpret::RunResult result = run.run(program_.executable, *inputs);
    statistics_.seconds.evaluate = seconds_since(start);
    if (const Status ended = run.end(); !ended) {
      return error_of(TACET_FAILED, ended.error());
    }
    return take(std::move(result));
  }

  auto encrypted() -> tacet_error* {
    Result<std::vector<interpret::Value>> inputs = given(program_.executable.parameters);
    if (!inputs) {
      return error_of(TACET_USAGE, inputs.error());
    }
    cli::PhaseLine line(quiet_.get());
    Result<cli::EncryptedRun> run = cli::run_encrypted(*program_.encrypted, program_.executable,
                                                       *inputs, program_.options, line);
    if (!run) {
      return error_of(TACET_FAILED, run.error());
    }
    std::visit([&](const auto& costs) { cli::set_encrypted_costs(costs, statistics_); },
               run->costs);
    results_ = program_.executable.results;
    values_ = std::move(run->values);
    return nullptr;
  }

  auto by_parties() -> tacet_error* {
    auto outcome = cli::run_by_parties(
        *program_.parties, program_.executable.parameters, program_.executable.results,
        program_.options, [this] { return seed_.key(); },
        [this](const std::vector<interpret::EntryParameter>& parameters) {
          return given(parameters);
        },
        quiet_.get());
    if (const auto* failure = std::get_if<cli::PartiesFailure>(&outcome)) {
      if (!program_.options.party.empty() && !program_.options.beginning->has_met) {
        cli::report_failure_to_others(program_.options);
      }
      return error_of(failure->code == cli::ExitCode::Usage ? TACET_USAGE : TACET_FAILED,
                      failure->message);
    }
    auto& run = std::get<cli::ByParties>(outcome);
    if (run.random_key) {
      seed_.show(*run.random_key);
    }
    statistics_.device = "mpc";
    statistics_.instructions = run.costs.n_instructions;
    statistics_.seconds.evaluate = run.costs.seconds;
    statistics_.mpc = std::move(run.costs);
    results_ = std::move(run.results);
    values_ = std::move(run.values);
    return nullptr;
  }

  const Program& program_;
  const tacet_input* inputs_;
  size_t n_inputs_;
  QuietInvocation quiet_;
  cli::RunSeed seed_;
  cli::RunStatistics statistics_;
  Clock::time_point start_ = Clock::now();
  std::vector<interpret::EntryResult> results_;
  std::vector<interpret::Value> values_;
};

}  // namespace

}  // namespace tacet::interface

using namespace tacet::interface;

tacet_error* tacet_run(const tacet_program* program, const tacet_input* inputs, size_t n_inputs,
                       const tacet_control* control, tacet_values** values) {
  return guarded(control, [&](const Listener& listener) {
    return Run(*program->program, inputs, n_inputs, listener).run(values);
  });
}
