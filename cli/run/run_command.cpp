#include "cli/run/run_command.h"

#include <CLI/CLI.hpp>

#include "cli/choice_option.h"
#include "cli/explore/obey_choice.h"
#include "cli/run/core_dumps.h"
#include "cli/run/run_options.h"
#include "cli/run/run_program.h"

namespace tacet::cli {

namespace {

void declare_he(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  add_he_options(app, *options);
  add_range_from_data(app, *options);
  add_choice(app, "--role", {"client", "server"},
             "For a compiled program: the role of this process",
             [options](size_t role) { options->role = static_cast<RunRole>(role + 1); });
  app.add_option(
         "--exchange", options->exchange,
         "The folder through which client and server exchange files (default: FILE.exchange)")
      ->type_name("FOLDER");
  app.add_option("--secret", options->secret_file,
                 "The file of the client's secret key (default: FILE.secret)")
      ->type_name("FILE");
  app.add_flag("--distributed", options->is_distributed,
               "With --role server: evaluate on all processes that `mpirun` or `srun` started with "
               "this command; implied if they are several");
  add_interconnect(app, *options);
}

void add_statistics(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  const auto given = std::make_shared<std::string>();
  app.add_flag("--stats{summary}", *given,
               "Report the cost of the run; --stats=all: with each instruction of the parties")
      ->check([](const std::string& word) {
        return word == "summary" || word == "all" ? std::string()
                                                  : std::string("expected `summary` or `all`");
      })
      ->each([options, given](const std::string& word) {  // `given` lives as long as the option
        options->wants_statistics = true;
        options->wants_details = word == "all";
      });
}

void add_check(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  app.add_flag("--check", options->is_checked,
               "Compare encrypted results with the same function in plaintext: integers with those "
               "of `ref`, reals with exact arithmetic, within the bound of the run; --stats then "
               "reports the measured error");
}

auto declare_run(CLI::App& app) -> Action {
  auto options = std::make_shared<RunOptions>();
  app.add_option("file", options->file, "The program, or - for standard input")
      ->required()
      ->type_name("FILE");
  add_run_options(app, options);
  add_check(app, options);
  add_plan_options(app, options);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    Result<RunOptions> chosen = with_explored_choice(*options, invocation);
    if (!chosen) {
      invocation.error(chosen.error().message);
      return ExitCode::Failed;
    }
    return run_program(*chosen, invocation);
  };
}

}  // namespace

void add_run_options(CLI::App& app, const std::shared_ptr<RunOptions>& options) {
  app.add_option(
         "values", options->values,
         "The parameters in order: JSON, @FILE (.json, .csv, .tsv, .npy, .npz), @FILE:NAME for a "
         "column or member, @-, or @random")
      ->type_name("VALUE");
  app.add_option(
         "--input", options->inputs,
         "A parameter by name; @FILE alone gives parameters the columns or members of their "
         "names")
      ->type_name("NAME=VALUE|@FILE")
      ->allow_extra_args(false);
  app.add_option("--pipeline", options->target.pipeline, "The pipeline to run")->type_name("NAME");
  add_sizes(app, options->target);
  app.add_option("--fn", options->target.function, "The function or specification to run")
      ->type_name("NAME");
  add_calls(app, *options);
  add_choice(
      app, "--device", {"auto", "ref", "he", "mpc", "gpu"},
      "Where to run: ref in plaintext, he under homomorphic encryption, mpc by several "
      "parties, gpu in plaintext with kernels on a GPU; auto: the device in tacet.toml, else "
      "plaintext, with kernels on a GPU if there is one, except for a compiled program, which runs "
      "encrypted",
      [options](size_t device) {
        options->device = static_cast<RunDevice>(device);
        options->names_device = true;
      });
  app.add_option("--extern", options->extern_libraries, "A shared object with extern functions")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--seed", options->seed,
                 "The key of the random draws, up to 64 hexadecimal digits; random, and printed, "
                 "if omitted")
      ->type_name("HEX");
  app.add_option(
         "--memory-limit", options->memory_limit_mib,
         "Memory limit of a run in plaintext or under encryption (default: three quarters of the "
         "memory of the machine, or of its control group if that is less; an encrypted run plans "
         "with it, but may exceed it). If rotation keys would take more than a quarter, fewer are "
         "made, and plaintexts are prepared up to another quarter")
      ->type_name("MIB")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  declare_he(app, options);
  add_mpc_options(app, options);
  add_statistics(app, options);
  app.add_option(
         "-o,--output", options->output,
         "Write the results to this file instead of printing them; the name ends with .csv, "
         ".tsv, .json, .npy or .npz")
      ->type_name("FILE");
  add_choice(app, "--format", {"human", "json"}, "How to print results and diagnostics",
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
      "Runs the only pipeline of the file, the pipeline given by --pipeline, or one function. A "
      "value is a JSON literal or @FILE; its type, shape and bounds are checked. Results are "
      "printed as `name = value`, or as one JSON object; diagnostics go to stderr. What each "
      "device hides, from whom, and what it does not, is in docs/security/README.md.";
  command.declare = declare_run;
  return command;
}

}  // namespace tacet::cli
