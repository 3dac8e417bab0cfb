#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/atomic_write.h"
#include "cli/commands/commands.h"
#include "cli/line_edits.h"
#include "cli/load_files.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run/calibrate.h"
#include "cli/run/operation_times_file.h"
#include "cli/run/run_target.h"
#include "cli/thread_executor.h"
#include "cli/unified_diff.h"
#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/views/emit/fill.h"
#include "compiler/views/he/item_program.h"
#include "compiler/views/he/written_schedule.h"
#include "formatter/format.h"
#include "problems/fill_checks.h"
#include "project/format_style.h"

namespace tacet::cli {

namespace {

struct FillOptions {
  std::string path;
  bool writes = false;
  std::string stdin_filepath;
  std::string function;
  std::vector<std::string> samples;
};

}  // namespace

/// A file that was formatted stays so.
static auto laid_out(const LoadedFile& before, std::string after) -> std::string {
  const formatter::Style style = project::FormatStyles().of(before.absolute);
  auto formatted = [&](std::string_view text) {
    return formatter::format(text, syntax::Language::Module, formatter::Edits::NotWanted, style)
        .text;
  };
  return formatted(before.text) == before.text ? formatted(after) : after;
}

/// Writes `clause` into a function, if it is one that can be obeyed.
static auto write_clause(program::Frontend& frontend, FileId file, names::ItemId item,
                         const std::string& clause) -> bool {
  const program::Frontend::SharedText before = frontend.text(file);
  const TextEdit edit = he_views::clause_edit(frontend.snapshot(), item, clause);
  frontend.set_file(frontend.path(file), apply_edits(*before, std::vector{edit}));
  const auto program = frontend.snapshot().get<he_views::ProgramOfItem>(item);
  if (program != nullptr && program->pinned) {
    return true;
  }
  frontend.set_file(frontend.path(file), before);
  return false;
}

/// Writes what is found for each `schedule ?` of the file, which `filled` is about.
static void fill_schedules(program::Frontend& frontend, FileId file, emit::Filled& filled,
                           Invocation& invocation) {
  const std::vector<names::ItemId> open = he_views::open_schedules(frontend.snapshot(), file);
  if (open.empty()) {
    return;
  }
  const MachineTimes times = machine_times();
  ThreadExecutor executor(thread_count(0));
  he_views::PlanOptions options;
  options.times = &times.operations;
  options.executor = &executor;
  Progress progress(invocation, "searching for schedules", open.size());
  for (const names::ItemId item : open) {
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const std::optional<he_views::Plan> plan = he_views::find_plan(snapshot, item, options);
    progress.step();
    if (plan && !plan->clause.empty() && write_clause(frontend, file, item, plan->clause)) {
      ++filled.n_filled;
      continue;
    }
    filled.left.push_back(make_diagnostic(
        DiagnosticCode::T6040, {file, he_views::clause_edit(snapshot, item, "").range},
        fmt::format("cannot fill this schedule: {}",
                    plan && !plan->problem.empty() ? plan->problem
                                                   : "what is found cannot be written down")));
  }
  filled.text = *frontend.text(file);
}

/// The text as it is, or with bounds by sample data.
static auto calibrated(const FillOptions& options, program::Frontend& frontend, FileId file)
    -> Result<std::string> {
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  RunTarget target;
  target.function = options.function;
  Result<names::ItemId> item = find_target(snapshot, file, target);
  if (!item) {
    return item.error();
  }
  Result<std::vector<TextEdit>> edits = calibrated_bounds(snapshot, *item, options.samples);
  return edits ? Result<std::string>(apply_edits(*frontend.text(file), *edits)) : edits.error();
}

/// Writes the file, or prints what would change.
static auto show_or_write(const FillOptions& options, const LoadedFile& file,
                          const std::string& text, Invocation& invocation) -> Status {
  if (text != file.text && options.writes) {
    return write_atomically(file.shown, text);
  }
  if (text != file.text) {
    invocation.out.write(unified_diff(file.shown, file.text, line_edits(file.text, text),
                                      invocation.out_terminal.colour));
  }
  return std::monostate{};
}

static auto fill_files(const FillOptions& options, Invocation& invocation) -> ExitCode {
  if (options.path == "-" && options.writes) {
    invocation.error("`--write` cannot be used with standard input");
    return ExitCode::Usage;
  }
  const std::optional<LoadedFile> loaded =
      load_or_report(options.path, options.stdin_filepath, invocation);
  if (!loaded) {
    return ExitCode::Failed;
  }
  const LoadedFile& file = *loaded;
  program::Frontend frontend;
  SourceSet sources;
  Result<LoadedProgram> program = load_program(file, frontend, sources);
  if (!program) {
    invocation.error(program.error().message);
    return ExitCode::Failed;
  }
  const FileId id = program->file;
  if (!options.samples.empty()) {
    Result<std::string> bounded = calibrated(options, frontend, id);
    Status shown = bounded ? show_or_write(options, file, laid_out(file, *bounded), invocation)
                           : Status(bounded.error());
    if (!shown) {
      invocation.error(shown.error().message);
      return ExitCode::Failed;
    }
    return ExitCode::Done;
  }
  emit::Filled filled = emit::fill_holes(frontend, id, problems::fill_checks());
  fill_schedules(frontend, id, filled, invocation);
  if (Status shown = show_or_write(options, file, laid_out(file, filled.text), invocation);
      !shown) {
    invocation.error(shown.error().message);
    return ExitCode::Failed;
  }
  invocation.out.flush();
  sources.add(id, file.shown, std::make_shared<const std::string>(filled.text));
  print_diagnostics(filled.left, sources, Format::Human, invocation.err, invocation.err_terminal);
  invocation.err.write(fmt::format(
      "{} {}{}\n", counted(filled.n_filled, "hole"), options.writes ? "filled" : "could be filled",
      filled.left.empty() ? "" : fmt::format("; {} left", filled.left.size())));
  return filled.left.empty() ? ExitCode::Done : ExitCode::Failed;
}

static auto declare_fill(CLI::App& app) -> Action {
  auto options = std::make_shared<FillOptions>();
  app.add_option("file", options->path, "The file, or `-` for standard input")
      ->type_name("FILE")
      ->required();
  app.add_flag("--write", options->writes,
               "Write the file instead of printing the changes as a unified diff");
  app.add_option("--fn", options->function,
                 "With --calibrate: the function whose bounds are filled")
      ->type_name("NAME");
  app.add_option(
         "--calibrate", options->samples,
         "Fill the bound of a parameter from sample data: one of its values, or an array of "
         "such; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--stdin-filepath", options->stdin_filepath,
                 "The file name to use for standard input; it also selects the language")
      ->type_name("NAME");
  return [options](Invocation& invocation) { return fill_files(*options, invocation); };
}

auto fill_command() -> Command {
  Command command;
  command.name = "fill";
  command.summary = "fill holes from specifications";
  command.examples =
      "tacet fill sum.tacet            show the code proposed for `?` and `???`\n"
      "tacet fill --write sum.tacet    write it to the file\n"
      "tacet fill net.tacet --fn score --calibrate x=@images.csv --calibrate w=@weights.npy\n"
      "                                bounds of parameters by sample data";
  command.details =
      "`?` becomes a variable with the required value, or otherwise the expression from the "
      "specification. `???;` becomes the statements that compute the names used after it but not "
      "declared, or a statement that is missing there: an assignment, `encode`, `submit` or "
      "`await`. `schedule ?` becomes the layout that the compiler's search finds. "
      "`???` as the value of a block becomes the whole result of the block; as the whole body of a "
      "function, an implementation for its device. Each text is checked in its place first. If "
      "there "
      "are several candidates, the cheapest is used. Holes that cannot be filled are reported on "
      "standard error, and the exit code is 1.\n\n"
      "`--calibrate` writes bounds instead: the range of the numbers, and for arrays of `fxp` "
      "their "
      "norm where it says more, with some room and two digits. Other data must keep to them.";
  command.declare = declare_fill;
  return command;
}

}  // namespace tacet::cli
