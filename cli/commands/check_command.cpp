#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "cli/checker.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/explore/obey_choice.h"
#include "cli/input_paths.h"
#include "cli/jobs_option.h"
#include "cli/lint_baseline.h"
#include "cli/lint_session.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/run/run_deeply.h"
#include "cli/surroundings.h"
#include "cli/thread_executor.h"
#include "cli/watch.h"

namespace tacet::cli {

namespace {

struct CheckOptions {
  std::vector<std::string> paths;
  Format format = Format::Human;
  problems::Until until = problems::Until::Devices;
  std::string stdin_filepath;
  unsigned n_jobs = 0;
  bool is_watching = false;
  bool is_deep = false;
  size_t n_runs = 100;
  std::vector<std::string> extern_libraries;
  bool is_quiet = false;
  BaselineUse baseline;
};

/// What one look at the files has shown.
struct Round {
  ExitCode code = ExitCode::Done;
  /// As they are shown, to be watched: what was checked, then the modules that it imports.
  std::vector<std::string> files;
};

}  // namespace

/// What `--deep` did, for the summary.
static auto deep_text(const std::optional<oracle::DeepCheck>& deep) -> std::string {
  if (!deep) {
    return "; nothing was run because of errors";
  }
  return fmt::format("; {} compared in {}", counted(deep->n_compared, "function"),
                     counted(deep->n_runs, "run"));
}

static void print_summary(const Round& round, const Tally& tally, size_t n_unread,
                          const std::string& more, const CheckOptions& options,
                          Invocation& invocation) {
  if (options.is_quiet || options.format == Format::Json || options.format == Format::Sarif ||
      options.format == Format::Github) {
    return;
  }
  std::string text = fmt::format("checked {}", counted(round.files.size(), "file"));
  if (!round.files.empty()) {
    text += ": " + tally_text(tally);
  }
  if (n_unread > 0) {
    text += fmt::format("; {} not read", counted(n_unread, "file"));
  }
  text += more;
  invocation.out.flush();
  invocation.err.write(text + "\n");
}

/// Loads, checks and reports once.
static auto check_once(const CheckOptions& options, const std::vector<std::string>& paths,
                       program::Frontend& frontend, CheckSession& session,
                       const ExternLibraries& libraries, Invocation& invocation) -> Round {
  ThreadExecutor threads(thread_count(options.n_jobs));
  LoadedFiles loaded = load_paths(paths, options.stdin_filepath, threads);
  Round round;
  for (const LoadedFile& file : loaded.files) {
    round.files.push_back(file.shown);
  }
  report_unread(loaded, invocation);
  const Surroundings around = find_surroundings(loaded.files, invocation);
  session.set_lint(around.lint);
  SourceSet sources;
  std::vector<Diagnostic> diagnostics;
  {
    Progress progress(invocation, "checking", loaded.files.size());
    ProgressExecutor executor(threads, progress);
    diagnostics = session.check(std::move(loaded.files), around.source_folders, options.until,
                                executor, sources);
  }
  if (options.until == problems::Until::Devices) {
    problems::merge(explored_diagnostics(frontend, session.files(), invocation), diagnostics);
  }
  std::optional<oracle::DeepCheck> deep;
  const bool may_run =
      options.is_deep &&
      std::none_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity == Severity::Error;
      });
  if (may_run) {
    Result<oracle::DeepCheck> ran =
        run_deeply(frontend, session.files(), libraries, options.n_runs, threads);
    if (!ran) {
      invocation.error(ran.error().message);
      round.code = ExitCode::Usage;
      return round;
    }
    deep = std::move(*ran);
    problems::merge(std::move(deep->diagnostics), diagnostics);
  }
  Result<std::string> known =
      apply_baseline(options.baseline, around.root, is_lint_code, diagnostics, sources);
  if (!known) {
    invocation.error(known.error().message);
    round.code = ExitCode::Failed;
    return round;
  }
  print_diagnostics(diagnostics, sources, options.format, invocation.out, invocation.out_terminal,
                    threads);
  Tally tally;
  tally.add(diagnostics);
  print_summary(round, tally, loaded.errors.size(),
                *known + (options.is_deep ? deep_text(deep) : ""), options, invocation);
  for (const std::string& module : session.modules()) {
    round.files.push_back(path_from_here(module));
  }
  bool is_wrong = tally.n_errors > 0 || !loaded.errors.empty();
  round.code = is_wrong ? ExitCode::Failed : ExitCode::Done;
  return round;
}

/// Looks again whenever something changes, until the program is interrupted.
static auto watch(const CheckOptions& options, const std::vector<std::string>& paths,
                  const ExternLibraries& libraries, Invocation& invocation) -> ExitCode {
  Watcher watcher;
  std::vector<std::string> files;
  for (const FoundFile& file : find_files(paths).files) {
    files.push_back(file.shown);
  }
  watcher.note(paths, files);
  program::Frontend frontend;
  CheckSession session(frontend);
  while (true) {
    Round round = check_once(options, paths, frontend, session, libraries, invocation);
    invocation.out.flush();
    if (invocation.out.error() != 0) {
      return round.code;
    }
    watcher.wait(paths, round.files);
    if (!options.is_quiet && options.format == Format::Human) {
      invocation.err.write("\n");
    }
  }
}

static auto check(const CheckOptions& options, Invocation& invocation) -> ExitCode {
  if (!options.stdin_filepath.empty() && !reads_stdin(options.paths)) {
    invocation.error("`--stdin-filepath` requires the path `-`");
    return ExitCode::Usage;
  }
  if (options.is_watching && reads_stdin(options.paths)) {
    invocation.error("`--watch` cannot be used with standard input");
    return ExitCode::Usage;
  }
  Result<std::vector<std::string>> paths = input_paths(options.paths, invocation);
  if (!paths) {
    invocation.error(paths.error().message);
    return ExitCode::Failed;
  }
  if (options.baseline.is_written && options.is_watching) {
    invocation.error("`--write-baseline` cannot be combined with `--watch`");
    return ExitCode::Usage;
  }
  if (options.is_deep && options.until != problems::Until::Devices) {
    invocation.error("`--deep` needs a complete check; remove `--until`");
    return ExitCode::Usage;
  }
  ExternLibraries libraries;
  for (const std::string& path : options.extern_libraries) {
    if (Status loaded = libraries.load(path); !loaded) {
      invocation.error(loaded.error().message);
      return ExitCode::Usage;
    }
  }
  if (options.is_watching) {
    return watch(options, *paths, libraries, invocation);
  }
  program::Frontend frontend;
  CheckSession session(frontend);
  return check_once(options, *paths, frontend, session, libraries, invocation).code;
}

/// What the words of `--until` mean.
static constexpr std::array kDepths = {problems::Until::Syntax, problems::Until::Names,
                                       problems::Until::Types, problems::Until::Devices};

static auto declare_check(CLI::App& app) -> Action {
  auto options = std::make_shared<CheckOptions>();
  app.add_option("paths", options->paths,
                 "Files, folders, or `-` for standard input (default: the workspace that contains "
                 "the current folder)")
      ->type_name("PATH");
  add_format_option(app, &options->format);
  add_choice(app, "--until", {"syntax", "names", "types", "conformance"},
             "Stop after parsing, name resolution, type checking or conformance checking",
             [options](size_t choice) { options->until = kDepths.at(choice); });
  auto* deep = app.add_flag("--deep", options->is_deep,
                            "Run functions against their specifications and members of a class "
                            "against each other, and report inputs on which they differ");
  app.add_option("--runs", options->n_runs,
                 "With --deep: number of inputs to try for each function")
      ->type_name("N")
      ->capture_default_str()
      ->needs(deep);
  app.add_option("--extern", options->extern_libraries,
                 "With --deep: a shared object with extern functions")
      ->type_name("LIB.so")
      ->needs(deep);
  app.add_flag("-w,--watch", options->is_watching, "Recheck whenever a file changes");
  app.add_flag("--write-baseline", options->baseline.is_written,
               "Record the present diagnostics as known: later checks report only new ones");
  app.add_option("--baseline", options->baseline.path,
                 "The file of known diagnostics (default: .tacet-baseline.json in the root of the "
                 "workspace)")
      ->type_name("FILE");
  app.add_option("--stdin-filepath", options->stdin_filepath,
                 "The file name to use for standard input; it also selects the language")
      ->type_name("FILE");
  add_jobs_option(app, &options->n_jobs);
  app.add_flag("-q,--quiet", options->is_quiet, "Print no summary");
  return [options](Invocation& invocation) { return check(*options, invocation); };
}

auto check_command() -> Command {
  Command command;
  command.name = "check";
  command.summary = "report errors and warnings in files, folders or the workspace";
  command.examples =
      "tacet check                                the workspace around the current folder\n"
      "tacet check src examples/sum.tacet         a folder and a file\n"
      "tacet check --deep                         also compare functions by running them\n"
      "tacet check --watch                        recheck whenever a file changes\n"
      "tacet check --write-baseline               report only new problems from now on\n"
      "tacet check --format sarif > tacet.sarif   for tools\n"
      "tacet check --stdin-filepath a.tacet - < a.tacet";
  command.details =
      "Diagnostics go to standard output, the summary to standard error. The exit code is 1 if "
      "there is an error or a file could not be read, and 0 otherwise. `tacet explain CODE` "
      "explains a diagnostic.";
  command.declare = declare_check;
  return command;
}

}  // namespace tacet::cli
