#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/checker.h"
#include "cli/explore/obey_choice.h"
#include "cli/fix_files.h"
#include "cli/help/explain_code.h"
#include "cli/lint_session.h"
#include "cli/surroundings.h"
#include "cli/thread_executor.h"
#include "interface/errors.h"
#include "interface/load_sources.h"
#include "interface/options.h"
#include "interface/quiet.h"

using namespace tacet;
using namespace tacet::interface;

tacet_error* tacet_check(const tacet_sources* sources, const tacet_control* control,
                         tacet_diagnostics** diagnostics) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    Sources& of = *sources->sources;
    const auto lock = locked(of);
    QuietInvocation quiet(listener);
    const cli::Surroundings around = cli::find_surroundings({of.file}, quiet.get());
    cli::CheckSession session(of.frontend);
    session.set_lint(around.lint);
    quiet.begin("checking");
    quiet.begin("linting");
    cli::ThreadExecutor executor(cli::thread_count(0));
    std::vector<Diagnostic> found = session.check({of.file}, around.source_folders,
                                                  problems::Until::Devices, executor, of.shown);
    problems::merge(cli::explored_diagnostics(of.frontend, session.files(), quiet.get()), found);
    stop_if_cancelled();
    *diagnostics = diagnostics_of(found, of.shown).release();
    return nullptr;
  });
}

/// Which findings the options select, or an error for words that no rule answers to.
static auto selection_of(const tacet_options* options) -> Result<cli::LintSelection> {
  cli::LintSelection selection{.selected = values_of_option(options, "select"),
                               .ignored = values_of_option(options, "ignore")};
  const std::vector<std::string> unknown = cli::unknown_rules(selection);
  return unknown.empty() ? Result<cli::LintSelection>(std::move(selection))
                         : Result<cli::LintSelection>(Error{fmt::format(
                               "no rule, group or code `{}`", fmt::join(unknown, "`, `"))});
}

tacet_error* tacet_lint(const tacet_sources* sources, const tacet_options* options,
                        const tacet_control* control, tacet_diagnostics** diagnostics) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    static constexpr std::string_view kAllowed[] = {"select", "ignore"};
    if (auto allowed = run_options_of(options, kAllowed); !allowed) {
      return error_of(TACET_USAGE, allowed.error());
    }
    Result<cli::LintSelection> selection = selection_of(options);
    if (!selection) {
      return error_of(TACET_USAGE, selection.error());
    }
    Sources& of = *sources->sources;
    const auto lock = locked(of);
    QuietInvocation quiet(listener);
    const cli::Surroundings around = cli::find_surroundings({of.file}, quiet.get());
    cli::LintSession session(of.frontend, around.lint);
    quiet.begin("linting");
    cli::ThreadExecutor executor(cli::thread_count(0));
    const std::vector<Diagnostic> found = session.lint({of.file}, around.source_folders, *selection,
                                                       linter::Fixes::AsFound, executor, of.shown);
    stop_if_cancelled();
    *diagnostics = diagnostics_of(found, of.shown).release();
    return nullptr;
  });
}

tacet_error* tacet_fix(const tacet_sources* sources, const tacet_control* control,
                       tacet_bytes** text) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    // Fixes change the text, which `sources` must not notice.
    Result<std::shared_ptr<Sources>> loaded = load_sources(sources->sources->file);
    if (!loaded) {
      return error_of(TACET_FAILED, loaded.error());
    }
    Sources& of = **loaded;
    QuietInvocation quiet(listener);
    const cli::Surroundings around = cli::find_surroundings({of.file}, quiet.get());
    cli::LintSession session(of.frontend, around.lint);
    quiet.begin("linting");
    cli::ThreadExecutor executor(cli::thread_count(0));
    auto linted = std::make_unique<cli::Linted>();
    linted->findings = session.lint({of.file}, around.source_folders, {}, linter::Fixes::All,
                                    executor, linted->sources);
    std::vector<cli::LoadedFile> files = {of.file};
    cli::fix_all(files, {}, Applicability::Safe, around, session, executor, linted, quiet.get());
    if (!quiet.err().empty()) {
      return error_of(TACET_INTERNAL, quiet.notes());
    }
    stop_if_cancelled();
    *text = bytes_of(std::move(files.front().text));
    return nullptr;
  });
}

tacet_error* tacet_explain(const char* code, tacet_bytes** text) {
  return guarded([&]() -> tacet_error* {
    QuietInvocation quiet;
    if (cli::explain_code(code, quiet.get()) != cli::ExitCode::Done) {
      return error_of(TACET_USAGE, quiet.message());
    }
    *text = bytes_of(quiet.out());
    return nullptr;
  });
}
