#include <CLI/CLI.hpp>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/run/core_dumps.h"
#include "cli/run/run_options.h"
#include "cli/run/run_program.h"

namespace tacet::cli {

namespace {

void declare_he(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  add_he_options(app, *options);
  add_range_from_data(app, *options);
  add_choice(app, "--role", {"client", "server"},
             "Of a compiled program, the side that this process is",
             [options](size_t role) { options->role = static_cast<RunRole>(role + 1); });
  app.add_option("--exchange", options->exchange,
                 "The folder of what client and server exchange; FILE.exchange without it")
      ->type_name("FOLDER");
  app.add_option("--secret", options->secret_file,
                 "The file of the client's secret key; FILE.secret without it")
      ->type_name("FILE");
}

auto declare_run(CLI::App& app) -> Action {
  auto options = std::make_shared<RunOptions>();
  app.add_option("file", options->file, "The program; - for standard input")
      ->required()
      ->type_name("FILE");
  add_run_options(app, options);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    return run_program(*options, invocation);
  };
}

}  // namespace

void add_run_options(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  app.add_option("values", options->values,
                 "The parameters in order: JSON, or @FILE.json, @FILE.csv, @FILE.npy, @-, @random")
      ->type_name("VALUE");
  app.add_option("--input", options->inputs, "A parameter by its name")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--pipeline", options->target.pipeline, "The pipeline to run")->type_name("NAME");
  app.add_option("--fn", options->target.function, "The function or specification to run")
      ->type_name("NAME");
  add_choice(app, "--device", {"auto", "ref", "he", "mpc"},
             "Where to run it; ref computes in the clear, he under encryption, mpc by several "
             "parties; auto "
             "is what tacet.toml says, or in the clear",
             &options->device);
  app.add_option("--extern", options->extern_libraries, "A shared object with extern functions")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--seed", options->seed,
                 "The key of the random numbers, up to 64 digits; else it is drawn and told")
      ->type_name("HEX");
  app.add_option("--memory-limit", options->memory_limit_mib,
                 "How much memory the run may take; without it, three quarters of what there is")
      ->type_name("MIB")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  declare_he(app, options);
  add_mpc_options(app, options);
  app.add_flag("--stats", options->wants_statistics, "Say what the run cost");
  add_choice(app, "--format", {"human", "json"}, "How results and diagnostics are printed",
             &options->format);
}

auto run_command() -> Command {
  Command command;
  command.name = "run";
  command.summary = "run a pipeline, function or array program";
  command.examples =
      "tacet run examples/recursive_sum.tacet 1 10\n"
      "tacet run examples/minimum.tacet --pipeline valued --input a=3 --input b=-4\n"
      "tacet run examples/distance.tlhe @examples/data/points.csv '[1, 2, 2]'";
  command.details =
      "Runs the only pipeline of the file, the one that --pipeline names, or one function. A value "
      "is a JSON literal, or @ and a file; its type, shape and bounds are checked. Results are "
      "printed as `name = value`, or as one JSON object; diagnostics go to stderr.";
  command.declare = declare_run;
  return command;
}

}  // namespace tacet::cli
