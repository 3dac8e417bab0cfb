#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/atomic_write.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/explore/obey_choice.h"
#include "cli/memory_limit.h"
#include "cli/report.h"
#include "cli/run/encrypted_program.h"
#include "cli/run/predicted_costs.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_target.h"
#include "cli/workspace_defaults.h"
#include "engine/cggi_format/text.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

namespace {

struct BuildOptions {
  RunOptions run;
  std::string out;
};

class Build {
 public:
  Build(const BuildOptions& options, Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  auto run() -> ExitCode {
    Result<LoadedProgram> program = load_program(options_.run.file, frontend_, sources_);
    if (!program) {
      return fails(program.error().message, ExitCode::Failed);
    }
    if (Status swapped = swap_calls(options_.run.calls, *program, frontend_, sources_); !swapped) {
      return fails(swapped.error().message, ExitCode::Usage);
    }
    if (Status set =
            set_layout(options_.run.layout, options_.run.target, *program, frontend_, sources_);
        !set) {
      return fails(set.error().message, ExitCode::Usage);
    }
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    const auto show = [&](std::span<const Diagnostic> found) { print(found); };
    if (!check_program(snapshot, *program, show)) {
      return ExitCode::Failed;
    }
    Result<names::ItemId> item = find_target(snapshot, program->file, options_.run.target);
    if (!item) {
      return fails(item.error().message, ExitCode::Usage);
    }
    return within_memory(0, invocation_, [&] { return compile(snapshot, *item); });
  }

 private:
  auto fails(const std::string& message, ExitCode code) -> ExitCode {
    invocation_.error(message);
    return code;
  }

  void print(std::span<const Diagnostic> diagnostics) {
    print_diagnostics(diagnostics, sources_, Format::Human, invocation_.err,
                      invocation_.err_terminal);
  }

  auto compile(const program::FrontendSnapshot& snapshot, names::ItemId item) -> ExitCode {
    const interpret::Compilation entry = interpret::compile(snapshot, item, {});
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    if (!entry.executable) {
      return fails(fmt::format("cannot build `{}`: {}", name, entry.problem), ExitCode::Failed);
    }
    RunSeed seed(invocation_);
    if (!seed.take(options_.run.seed)) {
      return ExitCode::Usage;
    }
    const HeCompileRequest request{
        .item = item,
        .name = name.empty() ? "main" : name,
        .parameters = &entry.executable->parameters,
        .results = &entry.executable->results,
        .values = nullptr,
        .sources = &sources_,
        .random_key = seed.key_if(!entry.executable->program.draws.empty())};
    const EncryptedCompilation compilation =
        compile_encrypted(snapshot, request, nullptr, options_.run, invocation_);
    if (!compilation.program) {
      print(compilation.diagnostics);
      return compilation.problem.empty()
                 ? ExitCode::Failed
                 : fails(compilation.problem,
                         compilation.is_usage ? ExitCode::Usage : ExitCode::Failed);
    }
    return std::visit([&](const auto& program) { return write(program); }, *compilation.program);
  }

  template <class Program>
  auto write(const Program& program) -> ExitCode {
    if (Status hidden = engine::check_hiding(program); !hidden) {
      return fails(hidden.error().message, ExitCode::Failed);
    }
    if (Status written = write_or_create(options_.out, to_text(program)); !written) {
      return fails(written.error().message, ExitCode::Failed);
    }
    invocation_.out.write(cost_table(predicted_costs(program)));
    return ExitCode::Done;
  }

  const BuildOptions& options_;
  Invocation& invocation_;
  program::Frontend frontend_;
  SourceSet sources_;
};

auto declare_build(CLI::App& app) -> Action {
  auto options = std::make_shared<BuildOptions>();
  app.add_option("file", options->run.file, "The program, or - for standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", options->out, "The output file")->required()->type_name("OUT");
  app.add_option("--seed", options->run.seed,
                 "The key of the random draws, stored in the compiled program; random, and "
                 "printed, if omitted")
      ->type_name("HEX");
  app.add_option("--pipeline", options->run.target.pipeline, "The pipeline to build")
      ->type_name("NAME");
  add_sizes(app, options->run.target);
  app.add_option("--fn", options->run.target.function, "The function or specification to build")
      ->type_name("NAME");
  add_calls(app, options->run);
  add_he_options(app, options->run);
  app.add_option("--memory-limit", options->run.memory_limit_mib,
                 "Memory of the server that will run the program: if rotation keys would take more "
                 "than a quarter of it, fewer are made (default: 24576)")
      ->type_name("MIB")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  // What was chosen for other devices is none of its business.
  options->run.device = RunDevice::He;
  options->run.names_device = true;
  return [options](Invocation& invocation) {
    Result<RunOptions> chosen = with_explored_choice(options->run, invocation);
    if (!chosen) {
      invocation.error(chosen.error().message);
      return ExitCode::Failed;
    }
    Result<RunOptions> completed = with_workspace_defaults(*chosen);
    if (!completed) {
      invocation.error(completed.error().message);
      return ExitCode::Failed;
    }
    options->run = std::move(*completed);
    options->run.planned_memory_mib = options->run.memory_limit_mib;
    return Build(*options, invocation).run();
  };
}

}  // namespace

auto build_command() -> Command {
  Command command;
  command.name = "build";
  command.summary = "compile a file to a device program and report its cost";
  command.examples =
      "tacet build distance.tlhe -o distance.he --range point=0..256 --range tests=0..256\n"
      "tacet run distance.he --role client '[3, 4]'\n"
      "tacet run distance.he --role server '[[0, 0], [1, 1]]'\n"
      "tacet run distance.he --role client";
  command.details =
      "Compiles an array program, a specification or a device function for homomorphic encryption. "
      "The output is a text file that contains everything client and server share except values "
      "and keys. The ranges of all parameters must be known, from types and bounds or from "
      "`--range`. Prints operation counts and estimates.";
  command.declare = declare_build;
  return command;
}

}  // namespace tacet::cli
