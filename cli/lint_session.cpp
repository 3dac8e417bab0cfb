#include "cli/lint_session.h"

#include <algorithm>

#include "linter/rules/rules.h"

namespace tacet::cli {

/// Does `word`, a code or the beginning of one or the name of a rule or of a group, mean `code`?
static auto means(const std::string& word, DiagnosticCode code) -> bool {
  const linter::Rule* rule = linter::find_rule(code);
  return (!word.empty() && code_name(code).substr(0, word.size()) == word) || word == "all" ||
         (rule != nullptr && (rule->name == word || linter::group_name(rule->group) == word));
}

/// Is it a code of the linter?
static auto is_finding(DiagnosticCode code) -> bool {
  return linter::find_rule(code) != nullptr || code_name(code)[1] == '5';
}

auto is_lint_code(std::string_view code) -> bool {
  const auto& codes = all_codes();
  const auto found = std::find_if(codes.begin(), codes.end(),
                                  [&](DiagnosticCode each) { return code_name(each) == code; });
  return found != codes.end() && is_finding(*found);
}

static auto any_means(const std::vector<std::string>& words, DiagnosticCode code) -> bool {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return means(word, code); });
}

auto LintSelection::wants(DiagnosticCode code) const -> bool {
  return (selected.empty() || any_means(selected, code)) && !any_means(ignored, code);
}

auto unknown_rules(const LintSelection& selection) -> std::vector<std::string> {
  std::vector<std::string> unknown;
  for (const std::vector<std::string>* words : {&selection.selected, &selection.ignored}) {
    for (const std::string& word : *words) {
      const auto& codes = all_codes();
      const bool is_known = std::any_of(codes.begin(), codes.end(), [&](DiagnosticCode code) {
        return is_finding(code) && means(word, code);
      });
      if (!is_known) {
        unknown.push_back(word);
      }
    }
  }
  return unknown;
}

auto LintSession::lint(std::vector<LoadedFile> files,
                       const std::vector<std::string>& source_folders,
                       const LintSelection& selection, linter::Fixes fixes, Executor& executor,
                       SourceSet& sources) -> std::vector<Diagnostic> {
  std::vector<std::string> paths;
  for (const LoadedFile& file : files) {
    paths.push_back(file.absolute);
  }
  std::vector<Diagnostic> all =
      checks_.check(std::move(files), source_folders, problems::Until::Types, executor, sources);
  std::erase_if(all, [](const Diagnostic& found) { return found.severity != Severity::Error; });
  std::vector<FileId> ids;
  for (const std::string& path : paths) {
    ids.push_back(*frontend_->find_file(path));
  }
  const problems::Question findings{
      .until = std::nullopt,
      .lint = linter::LintOptions{
          .settings = settings_, .fixes = fixes, .selects = [&](DiagnosticCode code) {
            return selection.wants(code);
          }}};
  for (std::vector<Diagnostic>& of_file :
       problems::find(frontend_->snapshot(), ids, findings, executor)) {
    std::move(of_file.begin(), of_file.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace tacet::cli
