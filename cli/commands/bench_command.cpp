#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/progress.h"
#include "cli/run/core_dumps.h"
#include "cli/run/measure_parties.h"
#include "cli/run/operation_times_file.h"
#include "cli/run/run_program.h"
#include "cli/run/run_statistics.h"
#include "cli/thread_executor.h"
#include "engine/cggi/measure_bootstraps.h"
#include "engine/he/measure_times.h"

namespace tacet::cli {

namespace {

struct BenchOptions {
  RunOptions run;
  unsigned n_runs = 5;
  bool wants_calibration = false;
  bool wants_table = false;
};

auto measure(Progress& progress, Invocation& invocation) -> Result<MachineTimes> {
  Result<secure_random::SecureRandom> random = secure_random::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  he::TimeMeasurement measurement;
  measurement.progress = [&](he::Scheme, size_t, size_t) {
    progress.step();
    return true;
  };
  Result<he::OperationTimes> operations = he::measure_operation_times(measurement, *random);
  if (!operations) {
    return operations.error();
  }
  progress.step();
  const unsigned n_threads = thread_count(0);
  ThreadExecutor executor(n_threads);
  Result<cggi::BootstrapTimes> bootstraps =
      cggi::measure_bootstraps({.executor = executor, .n_threads = n_threads}, *random, best_isa());
  if (!bootstraps) {
    return bootstraps.error();
  }
  progress.step();
  Result<mpc_model::ProtocolTimes> parties = measure_parties(invocation);
  if (!parties) {
    return parties.error();
  }
  return MachineTimes{.operations = std::move(*operations),
                      .bootstraps = *bootstraps,
                      .parties = std::move(*parties)};
}

auto calibrate(const BenchOptions& options, Invocation& invocation) -> ExitCode {
  Result<MachineTimes> times = [&] {
    Progress progress(invocation, "measuring operations", 32);
    return measure(progress, invocation);
  }();
  if (!times) {
    invocation.error(times.error().message);
    return ExitCode::Failed;
  }
  if (options.wants_table) {
    invocation.out.write(times->text());
    return ExitCode::Done;
  }
  if (Status stored = store_machine_times(*times); !stored) {
    invocation.error(stored.error().message);
    return ExitCode::Failed;
  }
  invocation.out.write(fmt::format("{}\n", operation_times_path()));
  return ExitCode::Done;
}

using Time = std::optional<double>;

auto median(std::vector<double> times) -> Time {
  if (times.empty()) {
    return std::nullopt;
  }
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
}

/// What the runs had in common, with the medians of their times and the most memory.
auto medians_of(const std::vector<RunStatistics>& runs) -> RunStatistics {
  RunStatistics result = runs.front();
  const auto take = [&](auto member) {
    std::vector<double> times;
    for (const RunStatistics& run : runs) {
      if (const Time time = run.seconds.*member) {
        times.push_back(*time);
      }
    }
    result.seconds.*member = median(std::move(times)).value_or(0);
  };
  for (Time RunSeconds::*member :
       {&RunSeconds::parse, &RunSeconds::check, &RunSeconds::schedule, &RunSeconds::optimise,
        &RunSeconds::keygen, &RunSeconds::prepare, &RunSeconds::encrypt, &RunSeconds::evaluate,
        &RunSeconds::hide, &RunSeconds::decrypt}) {
    if (runs.front().seconds.*member) {
      take(member);
    }
  }
  take(&RunSeconds::total);
  for (const RunStatistics& run : runs) {
    result.peak_memory_bytes = std::max(result.peak_memory_bytes, run.peak_memory_bytes);
  }
  return result;
}

auto bench_file(const BenchOptions& options, Invocation& invocation) -> ExitCode {
  RunOptions run = options.run;
  run.wants_statistics = true;
  std::vector<RunStatistics> runs;
  // What is worth saying of one run is not said again of each.
  Output nowhere(-1, Output::Buffering::Full);
  for (unsigned i = 0; i < options.n_runs; ++i) {
    Invocation quiet{nowhere, i == 0 ? invocation.err : nowhere, {}, {}, invocation.program};
    RunStatistics& measured = runs.emplace_back();
    if (const ExitCode code = run_program(run, quiet, &measured); code != ExitCode::Done) {
      return code;
    }
  }
  const RunStatistics medians = medians_of(runs);
  if (run.format == RunFormat::Json) {
    invocation.out.write(
        fmt::format("{{\"runs\":{},\"stats\":{}}}\n", runs.size(), statistics_as_json(medians)));
  } else {
    invocation.out.write(fmt::format("{} run{}, median times\n{}", runs.size(),
                                     runs.size() == 1 ? "" : "s", statistics_table(medians)));
  }
  return ExitCode::Done;
}

auto bench(const BenchOptions& options, Invocation& invocation) -> ExitCode {
  const bool has_file = !options.run.file.empty();
  if (has_file == options.wants_calibration) {
    invocation.error(has_file ? "`--calibrate` cannot be combined with a file"
                              : "`tacet bench` needs a file or `--calibrate`");
    return ExitCode::Usage;
  }
  return has_file ? bench_file(options, invocation) : calibrate(options, invocation);
}

auto declare_bench(CLI::App& app) -> Action {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("file", options->run.file, "The program to run repeatedly")->type_name("FILE");
  app.add_option("values", options->run.values, "Its parameters, as for `tacet run`")
      ->type_name("VALUE");
  app.add_option("--input", options->run.inputs, "A parameter by name")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--pipeline", options->run.target.pipeline, "The pipeline to run")
      ->type_name("NAME");
  add_sizes(app, options->run.target);
  app.add_option("--fn", options->run.target.function, "The function or specification to run")
      ->type_name("NAME");
  add_choice(app, "--device", {"auto", "ref", "he"},
             "Where to run: ref in plaintext, he under homomorphic encryption",
             &options->run.device);
  app.add_option("--seed", options->run.seed, "The key of the random draws")->type_name("HEX");
  add_he_options(app, options->run);
  add_range_from_data(app, options->run);
  app.add_option("--runs", options->n_runs, "Number of runs (default: 5)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_choice(app, "--format", {"human", "json"}, "How to print the results", &options->run.format);
  app.add_flag("--calibrate", options->wants_calibration,
               "Measure encryption and parties on this machine");
  app.add_flag("--print", options->wants_table,
               "With --calibrate: print the times instead of storing them");
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    return bench(*options, invocation);
  };
}

}  // namespace

auto bench_command() -> Command {
  Command command;
  command.name = "bench";
  command.summary = "measure programs and engine operations on this machine";
  command.examples =
      "tacet bench examples/distance.tlhe --device he @random @random --seed 1 \\\n"
      "    --range here=0..256 --range points=0..256\n"
      "tacet bench --calibrate";
  command.details =
      "Runs a program repeatedly, each time from its source text, and prints the statistics of "
      "`tacet run --stats` with median times and peak memory.\n"
      "\n"
      "With `--device he`, the compiler chooses schemes, primes and layouts by the times of the "
      "engine's operations. Tacet ships with times measured on another machine. `--calibrate` "
      "measures them on this machine, on one thread, in about half a minute, and the bootstraps of "
      "CGGI, by which the language server predicts times, on one thread and eight together on all, "
      "and runs of parties, by which `tacet explore` predicts theirs. "
      "It stores them in the user's cache folder, per version of Tacet and instruction set, and "
      "prints the name of the file.";
  command.declare = declare_bench;
  return command;
}

}  // namespace tacet::cli
