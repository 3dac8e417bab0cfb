#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/check.h"
#include "cli/atomic_write.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/fmt_report.h"
#include "cli/input_paths.h"
#include "cli/jobs_option.h"
#include "cli/load_files.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/thread_executor.h"
#include "cli/unified_diff.h"
#include "project/format_style.h"

namespace tacet::cli {

namespace {

struct FmtOptions {
  std::vector<std::string> paths;
  bool is_check = false;
  bool is_diff = false;
  std::string stdin_filepath;
  Format format = Format::Human;
  unsigned n_jobs = 0;
  bool is_quiet = false;

  [[nodiscard]] auto only_looks() const -> bool { return is_check || is_diff; }
  /// Will a program read what is printed?
  [[nodiscard]] auto is_for_tools() const -> bool {
    return is_check && format != Format::Human && format != Format::Short;
  }
  /// SARIF is one log of all files.
  [[nodiscard]] auto makes_log() const -> bool { return is_check && format == Format::Sarif; }
};

/// What came of all files.
struct Outcome {
  size_t n_files = 0;
  size_t n_changed = 0;
  size_t n_broken = 0;
  size_t n_failed = 0;
};

}  // namespace

static auto format_file(LoadedFile file, formatter::Edits edits, const formatter::Style& style)
    -> Formatted {
  syntax::FileSyntax before = syntax::parse_file(file.text, syntax::language_of(file.absolute));
  Formatted formatted = {std::move(file), formatter::format(before, edits, style)};
  if (formatted.is_changed()) {
    syntax::FileSyntax after = syntax::parse_file(formatted.result.text, before.language);
    std::string fault = formatter::find_format_fault(before, after);
    TACET_CHECK(fault.empty(), fault.c_str());
  }
  return formatted;
}

static auto format_all(std::vector<LoadedFile> files, formatter::Edits edits,
                       Invocation& invocation, ThreadExecutor& threads) -> std::vector<Formatted> {
  std::vector<Formatted> all(files.size());
  project::FormatStyles styles;
  std::vector<formatter::Style> style_of;
  style_of.reserve(files.size());
  for (const LoadedFile& file : files) {
    style_of.push_back(styles.of(file.absolute));
  }
  for (const std::string& problem : styles.problems()) {
    invocation.error(problem);
  }
  Progress progress(invocation, "formatting", files.size());
  ProgressExecutor executor(threads, progress);
  executor.for_each(files.size(), [&](size_t i) {
    all[i] = format_file(std::move(files[i]), edits, style_of[i]);
  });
  return all;
}

/// The syntax errors of a file: on stdout where they are the answer, else on stderr.
static void print_errors(const Formatted& formatted, const FmtOptions& options,
                         Invocation& invocation) {
  if (options.is_check) {
    print_syntax_errors(formatted, options.format, invocation.out, invocation.out_terminal);
  } else {
    invocation.out.flush();
    print_syntax_errors(formatted, options.format, invocation.err, invocation.err_terminal);
  }
}

static auto is_stdin(const Formatted& formatted, const FmtOptions& options) -> bool {
  return reads_stdin(options.paths) &&
         formatted.file.shown ==
             (options.stdin_filepath.empty() ? "<stdin>" : options.stdin_filepath);
}

/// Prints or writes what the formatter made of one file.
static void deliver(const Formatted& formatted, const FmtOptions& options, Outcome& outcome,
                    Invocation& invocation) {
  if (!formatted.result.diagnostics.empty()) {
    ++outcome.n_broken;
    if (!options.makes_log()) {
      print_errors(formatted, options, invocation);
    }
  }
  if (is_stdin(formatted, options) && !options.only_looks()) {
    invocation.out.write(formatted.result.text);
    return;
  }
  if (!formatted.is_changed()) {
    return;
  }
  ++outcome.n_changed;
  if (options.is_diff) {
    invocation.out.write(unified_diff(formatted.file.shown, formatted.file.text,
                                      formatted.result.edits, invocation.out_terminal.colour));
  } else if (options.makes_log()) {
    return;
  } else if (options.is_check) {
    invocation.out.write(unformatted_text(formatted, options.format));
  } else if (Status written = write_atomically(formatted.file.shown, formatted.result.text);
             !written) {
    ++outcome.n_failed;
    --outcome.n_changed;
    invocation.error(written.error().message);
  }
}

static void print_fmt_summary(const Outcome& outcome, const FmtOptions& options,
                              Invocation& invocation) {
  if (options.is_quiet || options.is_for_tools() || outcome.n_files == 0 ||
      (outcome.n_files == 1 && reads_stdin(options.paths))) {
    return;
  }
  std::string text;
  if (outcome.n_changed > 0) {
    std::string_view what = options.only_looks() ? "not formatted" : "formatted";
    text = fmt::format("{} of {} {}", outcome.n_changed, counted(outcome.n_files, "file"), what);
  } else if (outcome.n_failed == outcome.n_files) {
    text = "no files formatted";
  } else {
    text = fmt::format("{} left unchanged", counted(outcome.n_files - outcome.n_failed, "file"));
  }
  if (outcome.n_broken > 0) {
    text += fmt::format("; {} with syntax errors, where only complete items {}",
                        counted(outcome.n_broken, "file"),
                        options.only_looks() ? "were checked" : "were formatted");
  }
  invocation.out.flush();
  invocation.err.write(text + "\n");
}

static auto format(const FmtOptions& options, Invocation& invocation) -> ExitCode {
  if (!options.stdin_filepath.empty() && !options.paths.empty() && !reads_stdin(options.paths)) {
    invocation.error("`--stdin-filepath` requires the path `-`");
    return ExitCode::Usage;
  }
  // Editors that give a name for standard input mean to send it.
  Result<std::vector<std::string>> paths = options.stdin_filepath.empty() || !options.paths.empty()
                                               ? input_paths(options.paths, invocation)
                                               : std::vector<std::string>{"-"};
  if (!paths) {
    invocation.error(paths.error().message);
    return ExitCode::Failed;
  }
  FmtOptions settled = options;
  settled.paths = *paths;
  ThreadExecutor threads(thread_count(options.n_jobs));
  LoadedFiles loaded = load_paths(settled.paths, options.stdin_filepath, threads);
  report_unread(loaded, invocation);
  Outcome outcome;
  outcome.n_files = loaded.files.size();
  // That a file is not formatted shows without them; tools want to know where.
  bool shows_edits = options.is_diff || options.is_for_tools();
  auto edits = shows_edits ? formatter::Edits::Wanted : formatter::Edits::NotWanted;
  std::vector<Formatted> all = format_all(std::move(loaded.files), edits, invocation, threads);
  for (const Formatted& formatted : all) {
    deliver(formatted, settled, outcome, invocation);
  }
  if (settled.makes_log()) {
    invocation.out.write(unformatted_sarif(all));
  }
  print_fmt_summary(outcome, settled, invocation);
  bool is_wrong = outcome.n_broken > 0 || outcome.n_failed > 0 || !loaded.errors.empty() ||
                  (options.only_looks() && outcome.n_changed > 0);
  return is_wrong ? ExitCode::Failed : ExitCode::Done;
}

static auto declare_fmt(CLI::App& app) -> Action {
  auto options = std::make_shared<FmtOptions>();
  app.add_option("paths", options->paths,
                 "Files, folders, or `-` to format standard input to standard output (default: the "
                 "workspace that contains the current folder)")
      ->type_name("PATH");
  app.add_flag("--check", options->is_check,
               "Write nothing; list unformatted files, and fail if there are any");
  app.add_flag("--diff", options->is_diff,
               "Write nothing; print the changes as a unified diff, and fail if there are any");
  app.add_option("--stdin-filepath", options->stdin_filepath,
                 "Format standard input as if it were this file")
      ->type_name("FILE");
  add_choice(app, "--format", {"human", "short", "json", "sarif", "github"},
             "How to print syntax errors and, with --check, unformatted files", &options->format);
  add_jobs_option(app, &options->n_jobs);
  app.add_flag("-q,--quiet", options->is_quiet, "Print no summary");
  return [options](Invocation& invocation) { return format(*options, invocation); };
}

auto fmt_command() -> Command {
  Command command;
  command.name = "fmt";
  command.summary = "format files in place";
  command.examples =
      "tacet fmt                   the workspace around the current folder\n"
      "tacet fmt --check src       for continuous integration\n"
      "tacet fmt --diff a.tacet    show the changes\n"
      "tacet fmt - < a.tacet       from standard input to standard output";
  command.details =
      "A file is replaced atomically, and only if it changes. In a file with syntax errors, only "
      "complete items are formatted; the errors are printed and the exit code is 1. There is one "
      "style; its width and indentation come from `[format]` in `tacet.toml` or else from "
      "`.editorconfig`, and default to 100 and 4 columns. Use `// fmt: skip` before an item, or "
      "`// fmt: off` and `// fmt: on` around several items, to leave them unchanged.";
  command.declare = declare_fmt;
  return command;
}

}  // namespace tacet::cli
