#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>

#include "cli/atomic_write.h"
#include "cli/commands/commands.h"
#include "cli/fix_files.h"
#include "cli/help/explain_code.h"
#include "cli/input_paths.h"
#include "cli/jobs_option.h"
#include "cli/lint_baseline.h"
#include "cli/lint_session.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/surroundings.h"
#include "cli/thread_executor.h"
#include "compiler/core/syntax/file_syntax.h"
#include "formatter/format.h"
#include "linter/apply_fixes.h"
#include "linter/rules/rules.h"
#include "project/format_style.h"
#include "project/read_source.h"

namespace tacet::cli {

namespace {

struct LintOptions {
  std::vector<std::string> paths;
  Format format = Format::Human;
  LintSelection selection;
  std::vector<std::string> allowed, warned, denied;
  std::string explained;
  std::string stdin_filepath;
  BaselineUse baseline;
  bool fixes = false;
  bool fixes_unsafely = false;
  bool shows_statistics = false;
  unsigned n_jobs = 0;
  bool is_quiet = false;
};

}  // namespace

/// `     3  T5001  secret-branch`, the most frequent first.
static void print_statistics(const std::vector<Diagnostic>& findings, Output& out) {
  std::map<DiagnosticCode, size_t> counts;
  for (const Diagnostic& finding : findings) {
    ++counts[finding.code];
  }
  std::vector<std::pair<DiagnosticCode, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [code, n] : sorted) {
    out.write(fmt::format("{:>6}  {}  {}\n", n, code_name(code), code_title(code)));
  }
}

static auto formatted(const LoadedFile& file) -> std::string {
  return formatter::format(syntax::parse_file(file.text, syntax::language_of(file.absolute)),
                           formatter::Edits::NotWanted, project::FormatStyles().of(file.absolute))
      .text;
}

/// What was formatted stays formatted.
static auto write_files(const std::vector<LoadedFile>& before, const std::vector<LoadedFile>& after,
                        Invocation& invocation) -> bool {
  bool is_written = true;
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i].text == before[i].text) {
      continue;
    }
    const bool was_formatted = formatted(before[i]) == before[i].text;
    const std::string text = was_formatted ? formatted(after[i]) : after[i].text;
    if (Status written = write_atomically(after[i].shown, text); !written) {
      invocation.error(written.error().message);
      is_written = false;
    }
  }
  return is_written;
}

/// The command line goes before `tacet.toml`. False if it names what is no rule.
static auto set_levels(const LintOptions& options, linter::Settings& settings,
                       Invocation& invocation) -> bool {
  const auto set = [&](const std::vector<std::string>& words, linter::Level level) {
    for (const std::string& word : words) {
      if (!linter::set_level(settings, word, level)) {
        invocation.error(fmt::format("unknown rule `{}`; `tacet explain` lists all codes", word));
        return false;
      }
    }
    return true;
  };
  return set(options.allowed, linter::Level::Allow) && set(options.warned, linter::Level::Warn) &&
         set(options.denied, linter::Level::Deny);
}

/// Applying fixes, and printing them or the notes that say why there is none, need them all.
static auto fixes_to_find(const LintOptions& options) -> linter::Fixes {
  const bool prints_them = !options.shows_statistics && options.format != Format::Short;
  return options.fixes || options.fixes_unsafely || prints_them ? linter::Fixes::All
                                                                : linter::Fixes::AsFound;
}

static void print_findings(Linted& linted, const LintOptions& options, ThreadExecutor& threads,
                           Invocation& invocation) {
  if (options.shows_statistics) {
    print_statistics(linted.findings, invocation.out);
  } else {
    print_diagnostics(linted.findings, linted.sources, options.format, invocation.out,
                      invocation.out_terminal, threads);
  }
}

static void print_lint_summary(const Tally& tally, size_t n_files, const std::string& remark,
                               const LintOptions& options, Invocation& invocation) {
  const bool is_for_people = options.format == Format::Human || options.format == Format::Short;
  if (!options.is_quiet && is_for_people) {
    invocation.out.flush();
    invocation.err.write(
        fmt::format("linted {}: {}{}\n", counted(n_files, "file"), tally_text(tally), remark));
  }
}

/// The files of `paths`: their findings, with fixes and the baseline applied as requested.
static auto lint_paths(const std::vector<std::string>& paths, const LintOptions& options,
                       Invocation& invocation) -> ExitCode {
  ThreadExecutor threads(thread_count(options.n_jobs));
  LoadedFiles loaded = load_paths(paths, options.stdin_filepath, threads);
  report_unread(loaded, invocation);
  Surroundings around = find_surroundings(loaded.files, invocation);
  if (!set_levels(options, around.lint, invocation)) {
    return ExitCode::Usage;
  }
  program::Frontend frontend;
  LintSession session(frontend, around.lint);
  auto linted = std::make_unique<Linted>();
  {
    Progress progress(invocation, "linting", loaded.files.size());
    ProgressExecutor executor(threads, progress);
    linted->findings = session.lint(loaded.files, around.source_folders, options.selection,
                                    fixes_to_find(options), executor, linted->sources);
  }
  std::string remark;
  bool is_written = true;
  if (options.fixes || options.fixes_unsafely) {
    std::vector<LoadedFile> fixed = loaded.files;
    const size_t n = fix_all(fixed, options.selection,
                             options.fixes_unsafely ? Applicability::Unsafe : Applicability::Safe,
                             around, session, threads, linted, invocation);
    is_written = write_files(loaded.files, fixed, invocation);
    remark = fmt::format("; {} fixed", n);
  }
  Result<std::string> known = apply_baseline(
      options.baseline, around.root, [](std::string_view code) { return !is_lint_code(code); },
      linted->findings, linted->sources);
  if (!known) {
    invocation.error(known.error().message);
    return ExitCode::Failed;
  }
  remark += *known;
  Tally tally;
  tally.add(linted->findings);
  print_findings(*linted, options, threads, invocation);
  print_lint_summary(tally, loaded.files.size(), remark, options, invocation);
  const bool is_wrong = tally.n_errors > 0 || !loaded.errors.empty() || !is_written;
  return is_wrong ? ExitCode::Failed : ExitCode::Done;
}

static auto lint(const LintOptions& options, Invocation& invocation) -> ExitCode {
  if (!options.explained.empty()) {
    return explain_code(options.explained, invocation);
  }
  for (const std::string& word : unknown_rules(options.selection)) {
    invocation.error(fmt::format("unknown rule `{}`; `tacet explain` lists all codes", word));
    return ExitCode::Usage;
  }
  Result<std::vector<std::string>> paths = input_paths(options.paths, invocation);
  if (!paths) {
    invocation.error(paths.error().message);
    return ExitCode::Failed;
  }
  if ((options.fixes || options.fixes_unsafely) && reads_stdin(*paths)) {
    invocation.error("`--fix` cannot be used with standard input");
    return ExitCode::Usage;
  }
  return lint_paths(*paths, options, invocation);
}

static auto declare_lint(CLI::App& app) -> Action {
  auto options = std::make_shared<LintOptions>();
  app.add_option("paths", options->paths,
                 "Files, folders, or `-` for standard input (default: the workspace that contains "
                 "the current folder)")
      ->type_name("PATH");
  add_format_option(app, &options->format);
  app.add_flag("--fix", options->fixes,
               "Apply safe fixes, which preserve the results of the program, until none is left");
  app.add_flag("--unsafe-fixes", options->fixes_unsafely,
               "Also apply fixes that may change the results of the program");
  app.add_option("--select", options->selection.selected,
                 "Use only these rules: codes, code prefixes, names or groups")
      ->type_name("RULE")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--ignore", options->selection.ignored, "Use all rules except these")
      ->type_name("RULE")
      ->delimiter(',')
      ->allow_extra_args(false);
  const auto add_level = [&](const char* flag, std::vector<std::string>* words, const char* help) {
    app.add_option(flag, *words, help)->type_name("RULE")->delimiter(',')->allow_extra_args(false);
  };
  add_level("--allow", &options->allowed, "Silence these rules or groups");
  add_level("--warn", &options->warned,
            "Report these as warnings, including rules that are off by default");
  add_level("--deny", &options->denied, "Report these as errors");
  app.add_option("--explain", options->explained, "Explain a rule and exit")->type_name("RULE");
  app.add_flag("--statistics", options->shows_statistics,
               "Print the number of findings per rule instead of the findings");
  app.add_flag("--write-baseline", options->baseline.is_written,
               "Record the current findings, so that they are no longer reported");
  app.add_option(
         "--baseline", options->baseline.path,
         "The file of known findings (default: .tacet-baseline.json in the root of the workspace)")
      ->type_name("FILE");
  app.add_option("--stdin-filepath", options->stdin_filepath,
                 "The file name to use for standard input; it also selects the language")
      ->type_name("FILE");
  add_jobs_option(app, &options->n_jobs);
  app.add_flag("-q,--quiet", options->is_quiet, "Print no summary");
  return [options](Invocation& invocation) { return lint(*options, invocation); };
}

auto lint_command() -> Command {
  Command command;
  command.name = "lint";
  command.summary =
      "find and fix secret-dependent control flow, dead code, likely mistakes and more";
  command.examples =
      "tacet lint                        the workspace around the current folder\n"
      "tacet lint --fix src              apply safe fixes\n"
      "tacet lint --select T5003,T5004   only secret indices\n"
      "tacet lint --select obliviousness --deny all\n"
      "                                  obliviousness findings as errors\n"
      "tacet lint --statistics           count findings per rule\n"
      "tacet lint --write-baseline       report only new findings from now on\n"
      "tacet lint --explain T5001        explain a rule";
  command.details =
      "Findings go to standard output, the summary to standard error. The exit code is 1 if a "
      "finding is an error: code that no rewrite can make oblivious, or a finding of a rule that "
      "tacet.toml denies with `T5001 = \"deny\"` or `obliviousness = \"deny\"` under `[lint]`. "
      "Levels apply to codes, rule names, groups (obliviousness, suspicious, dead-code, style, "
      "specification, performance, suppression) and `all`. `// tacet: allow(T5001) reason` "
      "suppresses findings on its line, or on the next line if it is on a line of its own. Before "
      "a function it applies to the function, before `#version` to the file. `allow(T5001, until "
      "2027-01-31)` expires on that date.";
  command.declare = declare_lint;
  return command;
}

}  // namespace tacet::cli
