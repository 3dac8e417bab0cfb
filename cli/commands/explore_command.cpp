#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/explore/exploration.h"
#include "cli/run/core_dumps.h"

namespace tacet::cli {

namespace {

using SharedOptions = std::shared_ptr<ExploreOptions>;

// What is explored: the program, its inputs, and what it is linked with.
void declare_explored(CLI::App& app, const SharedOptions& options) {
  app.add_option("file", options->file, "The program")->required()->type_name("FILE");
  app.add_option("values", options->values, "The parameters in order, as for `tacet run`")
      ->type_name("VALUE");
  app.add_option("--fn", options->target.function, "The specification or function to explore")
      ->type_name("NAME");
  app.add_option("--pipeline", options->target.pipeline, "The pipeline to explore")
      ->type_name("NAME");
  add_sizes(app, options->target);
  app.add_option("--input", options->inputs, "A parameter by name")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--range", options->ranges, "The range of a parameter, HI excluded")
      ->type_name("NAME=LO..HI")
      ->allow_extra_args(false);
  app.add_option("--extern", options->externs, "A shared object with extern functions")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--seed", options->seed, "The key of the random draws (default: 0)")
      ->type_name("HEX");
}

// The links between machines where the program will run.
void declare_links(CLI::App& app, const SharedOptions& options) {
  app.add_option(
         "--latency", options->links.latency_milliseconds,
         "Milliseconds that a message takes between parties, or client and server, where the "
         "program will run: added to what is measured here (default: what `tacet party measure` "
         "found)")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 1e5).description(""));
  app.add_option("--link", options->links.megabits,
                 "Their bandwidth in Mbit/s; what is sent is added to what is measured here")
      ->type_name("MBIT")
      ->check(CLI::Range(0.001, 1e6).description(""));
}

// Which candidates there are, and how they are measured.
void declare_measurements(CLI::App& app, const SharedOptions& options) {
  app.add_option("--budget", options->budget_seconds,
                 "Seconds that measuring may take (default: 60)")
      ->type_name("SECONDS")
      ->check([](const std::string& seconds) {
        const double number = std::strtod(seconds.c_str(), nullptr);
        return number >= 0.1 && number <= 1e6 ? std::string()
                                              : std::string("expected 0.1 to 1000000 seconds");
      });
  app.add_option(
         "--layouts", options->n_layouts,
         "How many layouts of each function on `he` are compared (default: 4 where its text "
         "has `schedule ?`, else the best one)")
      ->type_name("N")
      ->check(CLI::Range(1, 16).description(""));
  app.add_option("--threads", options->threads,
                 "Compare runs on devices with these numbers of threads (default: one per core)")
      ->type_name("N,…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 1024).description(""));
  app.add_flag("--exhaustive", options->is_exhaustive,
               "Run all candidates equally often, as far as the budget allows, instead of the "
               "faster ones again");
  app.add_flag("--restart", options->restarts,
               "Measure everything, although an exploration of the same was interrupted");
  add_choice(app, "--device", {"local", "he", "mpc"}, "Only candidates on this device",
             [options](size_t device) {
               constexpr const char* kDevices[] = {"local", "he", "mpc"};
               options->filter.device = kDevices[device];
             });
  add_choice(
      app, "--protocol", {"semi2k", "aby3", "rep4", "aby3-active", "active"},
      "The protocol of the parties; they trust each other differently, so it is not chosen. "
      "active: the faster one of aby3-active and rep4, of which one party may do anything",
      [options](size_t protocol) {
        constexpr const char* kProtocols[] = {"semi2k", "aby3", "rep4", "aby3-active", "active"};
        options->filter.protocol = kProtocols[protocol];
      });
}

// What is done with the choice.
void declare_outcomes(CLI::App& app, const SharedOptions& options) {
  app.add_flag("--list", options->lists, "List the candidates without running any");
  app.add_flag("--explain", options->explains,
               "Print what `tacet.explore` has chosen, and from what, without running any");
  app.add_flag("--pin", options->pins,
               "Write what `tacet.explore` has chosen into the program: the functions that are "
               "called, a layout, and the function of a pipeline");
  app.add_flag("--dry-run", options->is_dry,
               "Do not write `tacet.explore`; with --pin, print the changes of the program");
  app.add_option("--picture", options->picture,
                 "Draw time against bytes of what was measured, as SVG")
      ->type_name("OUT.svg");
  add_choice(app, "--format", {"human", "json"}, "How to print results and diagnostics",
             &options->format);
}

auto declare_explore(CLI::App& app) -> Action {
  auto options = std::make_shared<ExploreOptions>();
  declare_explored(app, options);
  declare_measurements(app, options);
  declare_links(app, options);
  declare_outcomes(app, options);
  return [options, &app](Invocation& invocation) {
    forbid_core_dumps();
    options->gives_links = app.count("--latency") + app.count("--link") > 0;
    return explore(*options, invocation);
  };
}

}  // namespace

auto explore_command() -> Command {
  Command command;
  command.name = "explore";
  command.summary = "measure all implementations of a specification and choose the fastest";
  command.examples =
      "tacet explore sums.tacet --fn total '[1, 2, 3, 4]'\n"
      "tacet explore sums.tacet --fn total --list\n"
      "tacet explore sums.tacet --fn total --explain\n"
      "tacet explore sums.tacet --fn total --pin\n"
      "tacet explore sums.tacet --fn total --device he --budget 20 '[1, 2, 3, 4]'";
  command.details =
      "Candidates are the functions that implement the specification, with each combination of "
      "functions that they could call, and device functions once for each scheme. Each is run on "
      "the values given; results are compared with those in plaintext, and the faster half is run "
      "again until one is left or the budget is spent. What promises to be much slower is run "
      "last, "
      "once, or not at all. The choice is written to `tacet.explore` "
      "beside the file, and `tacet run` obeys it. Ctrl-C ends "
      "measuring; the same command resumes it. Candidates that would show what the signature "
      "keeps secret are never considered.";
  command.declare = declare_explore;
  return command;
}

}  // namespace tacet::cli
