#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/operation_times_file.h"
#include "cli/progress.h"
#include "engine/he/measure_times.h"

namespace tacet::cli {

namespace {

struct BenchOptions {
  std::string file;
  bool wants_calibration = false;
  bool wants_table = false;
};

auto calibrate(const BenchOptions& options, Invocation& invocation) -> ExitCode {
  Result<he::OperationTimes> times = [&]() -> Result<he::OperationTimes> {
    Result<secure_random::SecureRandom> random =
        secure_random::SecureRandom::from_system(best_isa());
    if (!random) {
      return random.error();
    }
    he::TimeMeasurement measurement;
    Progress progress(invocation, "measuring operations", 30);
    measurement.progress = [&](he::Scheme, size_t, size_t) {
      progress.step();
      return true;
    };
    return he::measure_operation_times(measurement, *random);
  }();
  if (!times) {
    invocation.error(times.error().message);
    return ExitCode::Failed;
  }
  if (options.wants_table) {
    invocation.out.write(times->text());
    return ExitCode::Done;
  }
  if (Status stored = store_operation_times(*times); !stored) {
    invocation.error(stored.error().message);
    return ExitCode::Failed;
  }
  invocation.out.write(fmt::format("{}\n", operation_times_path()));
  return ExitCode::Done;
}

auto bench(const BenchOptions& options, Invocation& invocation) -> ExitCode {
  if (!options.file.empty()) {
    invocation.error(
        "repeating the run of a file is not built yet; `tacet run --stats` says what one run cost, "
        "and `tacet bench --calibrate` measures the operations of homomorphic encryption");
    return ExitCode::Usage;
  }
  if (!options.wants_calibration) {
    invocation.error("`tacet bench` is to measure something: say `--calibrate`");
    return ExitCode::Usage;
  }
  return calibrate(options, invocation);
}

auto declare(CLI::App& app) -> Action {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("file", options->file, "The program to repeat (not built yet)")->type_name("FILE");
  app.add_flag("--calibrate", options->wants_calibration,
               "Measure the operations of homomorphic encryption on this machine");
  app.add_flag("--print", options->wants_table, "Print the times instead of keeping them");
  return [options](Invocation& invocation) { return bench(*options, invocation); };
}

}  // namespace

auto bench_command() -> Command {
  Command command;
  command.name = "bench";
  command.summary = "measure what programs, and what they are made of, take on this machine";
  command.examples = "tacet bench --calibrate";
  command.details =
      "Compiling for `--device he` weighs schemes, primes and layouts by the times of the engine's "
      "operations. They come with Tacet, measured on some machine; `--calibrate` measures them on "
      "this one, on one thread, which takes half a minute, and keeps them in the user's cache "
      "folder, by Tacet's version and the processor's instruction set. Prints the file's name.";
  command.declare = declare;
  return command;
}

}  // namespace tacet::cli
