#include "cli/fix_files.h"

#include <algorithm>
#include <map>

#include "linter/rules/rules.h"

namespace tacet::cli {

/// A fix may enable the next one; this many rounds are enough for all but contrived programs.
constexpr size_t kMaxRounds = 64;

static auto count_errors(const std::vector<Diagnostic>& diagnostics) -> size_t {
  return static_cast<size_t>(
      std::count_if(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
        return linter::find_rule(diagnostic.code) == nullptr &&
               diagnostic.severity == Severity::Error;
      }));
}

auto fix_all(std::vector<LoadedFile>& files, const LintSelection& selection, Applicability most,
             const Surroundings& around, LintSession& session, Executor& executor,
             std::unique_ptr<Linted>& linted, Invocation& invocation) -> size_t {
  size_t n_applied = 0;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    std::map<std::string, std::vector<Diagnostic>> by_file;
    for (const Diagnostic& finding : linted->findings) {
      by_file[std::string(linted->sources.view(finding.place.file).path)].push_back(finding);
    }
    std::vector<LoadedFile> next = files;
    size_t n_in_round = 0;
    for (LoadedFile& file : next) {
      linter::FixedText fixed = linter::apply_fixes(file.text, by_file[file.shown], most);
      n_in_round += fixed.n_applied;
      file.text = std::move(fixed.text);
    }
    if (n_in_round == 0) {
      return n_applied;
    }
    auto again = std::make_unique<Linted>();
    again->findings = session.lint(next, around.source_folders, selection, linter::Fixes::All,
                                   executor, again->sources);
    if (count_errors(again->findings) > count_errors(linted->findings)) {
      invocation.error(
          "a fix would introduce an error, so it and the other fixes of its round are not applied; "
          "this is a bug in Tacet");
      return n_applied;
    }
    files = std::move(next);
    linted = std::move(again);
    n_applied += n_in_round;
  }
  return n_applied;
}

}  // namespace tacet::cli
