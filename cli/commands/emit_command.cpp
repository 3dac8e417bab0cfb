#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/commands/emit_code.h"
#include "cli/commands/emit_dependences.h"
#include "cli/commands/emit_oblivious.h"
#include "cli/load_files.h"
#include "cli/report.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/emit_from.h"
#include "cli/run/emit_gates.h"
#include "cli/run/emit_he.h"
#include "cli/run/emit_stage.h"
#include "cli/run/run_target.h"
#include "cli/workspace_defaults.h"
#include "compiler/core/syntax/file_syntax.h"
#include "compiler/run/cps/check.h"
#include "compiler/run/cps/lower.h"
#include "compiler/run/cps/parse.h"
#include "compiler/run/cps/print.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/views/emit/annotate.h"
#include "compiler/views/emit/print_ast.h"
#include "compiler/views/emit/print_draws.h"
#include "compiler/views/emit/print_hir.h"
#include "compiler/views/emit/print_tree.h"
#include "formatter/format.h"
#include "problems/problems.h"
#include "project/format_style.h"

namespace tacet::cli {

namespace {

const std::vector<std::string> kStages = {
    "tree",        "ast",       "hir",   "ssa",      "quotients", "annotated",      "cps",
    "random",      "oblivious", "array", "schedule", "circuit",   "loops",          "mpc",
    "program",     "dot",       "gates", "blif",     "gates-dot", "approximations", "dependences",
    "distribution"};

struct EmitOptions {
  std::string path;
  std::optional<size_t> stage;
  std::optional<backends::Target> target;  ///< of code in place of a stage
  std::string folder;                      ///< for its files
  std::string from;
  std::string stdin_filepath;
  RunOptions run;  ///< the options of compiling for encryption
};

}  // namespace

/// The text of a stage behind the tree, which needs what names mean.
static auto stage_text(const std::string& stage, const program::FrontendSnapshot& snapshot,
                       FileId file, std::string_view text, const formatter::Style& style)
    -> std::string {
  if (stage == "ast") {
    return emit::print_ast(snapshot, file);
  }
  if (stage == "cps") {
    return cps::print(cps::lower_file(snapshot, file).program);
  }
  if (stage == "random") {
    return emit::print_draws(snapshot, file, text);
  }
  if (stage == "annotated") {
    return formatter::format(emit::annotate(snapshot, file), syntax::Language::Module,
                             formatter::Edits::NotWanted, style)
        .text;
  }
  const emit::HirForm form = stage == "hir"   ? emit::HirForm::Built
                             : stage == "ssa" ? emit::HirForm::Ssa
                                              : emit::HirForm::Quotients;
  return emit::print_hir(snapshot, file, form);
}

/// Such a stage, with the mistakes that checking finds.
static auto emit_checked(const std::string& stage, const LoadedFile& file,
                         const RunOptions& options, Invocation& invocation) -> ExitCode {
  program::Frontend frontend;
  SourceSet sources;
  Result<LoadedProgram> program = load_program(file, frontend, sources);
  if (!program) {
    invocation.error(program.error().message);
    return ExitCode::Failed;
  }
  const FileId id = program->file;
  const formatter::Style style = project::FormatStyles().of(file.absolute);
  const bool needs_good_file = is_he_stage(stage) || is_gates_stage(stage) ||
                               stage == "oblivious" || stage == "dependences" || stage == "mpc";
  if (!needs_good_file) {
    invocation.out.write(stage_text(stage, frontend.snapshot(), id, *frontend.text(id), style));
    invocation.out.flush();
  }
  const std::vector<Diagnostic> found =
      problems::find(frontend.snapshot(), id, {.until = problems::Until::Specifications});
  print_diagnostics(found, sources, Format::Human, invocation.err, invocation.err_terminal);
  Tally tally;
  tally.add(found);
  if (stage == "oblivious" && tally.n_errors == 0) {
    return emit_oblivious(frontend.snapshot(), id, options.target, style, sources, invocation);
  }
  if (stage == "dependences" && tally.n_errors == 0) {
    return emit_dependences(frontend.snapshot(), id, options.target, sources, invocation);
  }
  if (stage == "mpc" && tally.n_errors == 0) {
    return emit_mpc(frontend.snapshot(), id, options.target, sources, invocation);
  }
  if (is_gates_stage(stage) && tally.n_errors == 0) {
    return emit_gates(stage, frontend.snapshot(), id, options.target, sources, invocation);
  }
  if (needs_good_file && tally.n_errors == 0) {
    return emit_he(stage, frontend.snapshot(), id, options, sources, invocation);
  }
  return tally.n_errors == 0 ? ExitCode::Done : ExitCode::Failed;
}

/// Coordinator functions from their assembly: reads it, holds it against its rules, prints it.
static auto emit_from_assembly(const LoadedFile& file, Invocation& invocation) -> ExitCode {
  Result<cps::Program> program = cps::parse(file.text);
  if (!program) {
    invocation.error(fmt::format("{}: {}", file.shown, program.error().message));
    return ExitCode::Failed;
  }
  const std::vector<cps::Fault> faults = cps::check(*program);
  for (const cps::Fault& fault : faults) {
    invocation.error(fmt::format("{}: {}", file.shown, cps::fault_text(*program, fault)));
  }
  invocation.out.write(cps::print(*program));
  return faults.empty() ? ExitCode::Done : ExitCode::Failed;
}

/// Code for a library instead of a stage.
static auto emit_to(const EmitOptions& options, Invocation& invocation) -> ExitCode {
  if (!options.from.empty()) {
    invocation.error("`--to` and `--from` exclude each other");
    return ExitCode::Usage;
  }
  const std::optional<LoadedFile> loaded =
      load_or_report(options.path, options.stdin_filepath, invocation);
  return loaded ? emit_code(*options.target, *loaded, options.run, options.folder, invocation)
                : ExitCode::Failed;
}

static auto emit(const EmitOptions& options, Invocation& invocation) -> ExitCode {
  if (options.stage.has_value() == options.target.has_value()) {
    invocation.error("one of `--stage` and `--to` is required");
    return ExitCode::Usage;
  }
  if (options.target) {
    return emit_to(options, invocation);
  }
  if (!options.folder.empty()) {
    invocation.error("`--output` requires `--to`");
    return ExitCode::Usage;
  }
  const std::string& stage = kStages[*options.stage];
  const bool is_from_cps = options.from == "cps";
  const bool is_from_mpc = options.from == "mpc";
  if (!options.from.empty() && !is_from_cps && !is_from_mpc && !is_he_source(options.from)) {
    invocation.error(
        "`--from` accepts the stages `cps`, `array`, `schedule`, `circuit`, `loops`, `mpc` and "
        "`program`");
    return ExitCode::Usage;
  }
  if (is_from_mpc && stage != "mpc") {
    invocation.error("`--from mpc` requires `--stage mpc`");
    return ExitCode::Usage;
  }
  if (is_from_cps && stage != "cps") {
    invocation.error("`--from cps` requires `--stage cps`");
    return ExitCode::Usage;
  }
  const std::optional<LoadedFile> loaded =
      load_or_report(options.path, options.stdin_filepath, invocation);
  if (!loaded) {
    return ExitCode::Failed;
  }
  const LoadedFile& file = *loaded;
  if (is_from_cps) {
    return emit_from_assembly(file, invocation);
  }
  if (is_from_mpc) {
    return emit_mpc_program(file.text, file.shown, invocation);
  }
  if (!options.from.empty()) {
    return emit_from(options.from, stage, file, options.run, invocation);
  }
  return emit_stage(stage, file, options.run, invocation);
}

auto stage_names() -> const std::vector<std::string>& {
  return kStages;
}

auto emit_stage(const std::string& stage, const LoadedFile& file, const RunOptions& options,
                Invocation& invocation) -> ExitCode {
  if (stage != "tree") {
    return emit_checked(stage, file, options, invocation);
  }
  syntax::FileSyntax parsed = syntax::parse_file(file.text, syntax::language_of(file.absolute));
  invocation.out.write(emit::print_tree(parsed));
  SourceSet sources;
  sources.add(FileId{0}, file.shown, std::make_shared<const std::string>(file.text));
  std::vector<Diagnostic> errors = syntax::syntax_errors(parsed, FileId{0});
  invocation.out.flush();
  print_diagnostics(errors, sources, Format::Human, invocation.err, invocation.err_terminal);
  return errors.empty() ? ExitCode::Done : ExitCode::Failed;
}

static auto declare_emit(CLI::App& app) -> Action {
  auto options = std::make_shared<EmitOptions>();
  app.add_option("file", options->path, "The file, or `-` for standard input")
      ->type_name("FILE")
      ->required();
  add_choice(app, "--stage", kStages, "The stage to print",
             [options](size_t index) { options->stage = index; });
  add_choice(app, "--to", backends::target_words(),
             "Print code for another library: for encrypted vectors (seal, openfhe, lattigo, "
             "node-seal, heir-mlir), for circuits of bits (tfhe-rs) or for parties (mp-spdz)",
             [options](size_t index) { options->target = static_cast<backends::Target>(index); });
  app.add_option("-o,--output", options->folder,
                 "With --to: the folder for the code, its build file and a README")
      ->type_name("DIR");
  app.add_option("--from", options->from, "Read the text of this stage instead of a program")
      ->type_name("STAGE");
  app.add_option("--stdin-filepath", options->stdin_filepath,
                 "The file name to use for standard input; it also selects the language")
      ->type_name("NAME");
  add_sizes(app, options->run.target);
  app.add_option("--fn", options->run.target.function,
                 "The function or specification, for stages from `oblivious` on")
      ->type_name("NAME");
  app.add_option("--seed", options->run.seed,
                 "With --to: the key of the random draws; random, and printed, if omitted")
      ->type_name("HEX");
  app.add_option("--ranks", options->run.n_ranks,
                 "For the stage `distribution`: the number of machines (default: 4)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  add_interconnect(app, options->run);
  add_he_options(app, options->run);
  return [options](Invocation& invocation) {
    options->run.file = options->path;
    Result<RunOptions> completed = with_workspace_defaults(options->run);
    if (!completed) {
      invocation.error(completed.error().message);
      return ExitCode::Failed;
    }
    options->run = std::move(*completed);
    return emit(*options, invocation);
  };
}

auto emit_command() -> Command {
  Command command;
  command.name = "emit";
  command.summary = "print the output of a compiler stage, or code for another library";
  command.examples =
      "tacet emit --stage tree sum.tacet    the syntax tree\n"
      "tacet emit --stage ast sum.tacet     with resolved names and types\n"
      "tacet emit --stage ssa sum.tacet     coordinator functions in SSA form\n"
      "tacet emit --stage cps sum.tacet     the same in continuation-passing style\n"
      "tacet emit --stage oblivious f.tacet oblivious device functions\n"
      "tacet emit --stage dependences f.tacet\n"
      "                                     how iterations of loops depend on each other\n"
      "tacet emit --stage mpc f.tacet       the program that parties run on shares\n"
      "tacet emit --stage circuit dist.tlhe the vector layout of an array program\n"
      "tacet emit --from schedule --stage loops dist.txt\n"
      "                                     continue from an edited schedule\n"
      "tacet emit --to seal dist.tlhe --range here=0..256 --range points=0..256 --unhidden -o "
      "dist\n"
      "                                     C++ for SEAL, with a CMakeLists.txt";
  command.details =
      "A file with errors is printed as far as possible; the errors go to standard error and the "
      "exit code is 1.\n\n"
      "With --to, FILE may also be what `tacet build` wrote. The code has functions that encrypt "
      "the "
      "client's inputs, evaluate, and decrypt the results, and a driver that runs them on JSON "
      "values. It does not hide the server's inputs, so programs that have some need --unhidden.";
  command.declare = declare_emit;
  return command;
}

}  // namespace tacet::cli
