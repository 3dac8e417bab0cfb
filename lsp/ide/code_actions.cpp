#include "lsp/ide/code_actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "linter/apply_fixes.h"
#include "linter/rules/rules.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/hole_fillings.h"
#include "lsp/ide/organize_imports.h"
#include "lsp/ide/refactorings.h"
#include "problems/explored.h"
#include "problems/problems.h"

namespace tacet::ide {

static auto meet(TextRange a, TextRange b) -> bool {
  return a.begin <= b.end && b.begin <= a.end;
}

static void add_fixes(const Diagnostic& diagnostic, std::vector<Action>& actions) {
  for (const Fix& fix : diagnostic.fixes) {
    if (fix.applicability == Applicability::DisplayOnly) {
      continue;
    }
    Action& action = actions.emplace_back();
    action.title = fix.title;
    action.is_preferred =
        fix.applicability == Applicability::Safe && &fix == &diagnostic.fixes.front();
    action.diagnostic = diagnostic;
    action.edits = sorted_edits(fix.edits);
  }
}

/// The comment that allows what a rule found on its line; nothing for what no comment allows.
static void add_suppression(const Diagnostic& diagnostic, const std::string& text,
                            std::vector<Action>& actions) {
  const linter::Rule* rule = linter::find_rule(diagnostic.code);
  if (rule == nullptr || rule->kind == linter::RuleKind::Leak ||
      rule->group == linter::Group::Suppression) {
    return;
  }
  const size_t at = diagnostic.place.range.begin;
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
  const std::string line = text.substr(begin, end - begin);
  const std::string comment = fmt::format("// tacet: allow({}) reason", rule->name);
  // A comment behind code is about its line; alone it is about the next one.
  const bool has_comment = line.find("//") != std::string::npos;
  const auto place = static_cast<uint32_t>(has_comment ? begin : end);
  const std::string indent = line.substr(0, line.find_first_not_of(" \t"));
  Action& action = actions.emplace_back();
  action.title = fmt::format("allow `{}` on this line, with a reason", rule->name);
  action.diagnostic = diagnostic;
  action.new_name = "reason";
  action.edits = {{{place, place}, has_comment ? indent + comment + "\n" : " " + comment}};
}

static auto has_safe_fix(const Diagnostic& diagnostic) -> bool {
  return std::any_of(diagnostic.fixes.begin(), diagnostic.fixes.end(),
                     [](const Fix& fix) { return fix.applicability == Applicability::Safe; });
}

auto find_fixes(const program::FrontendSnapshot& snapshot, FileId file,
                const linter::Settings& settings, TextRange range, FixAll fix_all) -> Mendable {
  Mendable found;
  const auto visit = [&](query::Context& context, linter::FoundInFile& problem) {
    const bool is_requested = meet(problem.diagnostic.place.range, range);
    const bool may_be_the_first = fix_all == FixAll::Named && !found.has_safe_fix;
    if (is_requested || may_be_the_first || fix_all == FixAll::WithEdits) {
      linter::add_fix(context, problem);
    }
    found.has_safe_fix = found.has_safe_fix || has_safe_fix(problem.diagnostic);
  };
  found.diagnostics = problems::find(snapshot, file, settings, visit);
  return found;
}

static auto fix_all_of(const Mendable& found, FixAll wanted) -> Action {
  Action action;
  action.title = "apply all safe fixes";
  action.kind = Action::Kind::FixAll;
  if (wanted == FixAll::WithEdits) {
    action.edits = sorted_edits(linter::choose_fixes(found.diagnostics, Applicability::Safe).edits);
  }
  return action;
}

auto code_actions(const Mendable& found, TextRange range, FixAll fix_all) -> std::vector<Action> {
  std::vector<Action> actions;
  for (const Diagnostic& diagnostic : found.diagnostics) {
    if (meet(diagnostic.place.range, range)) {
      add_fixes(diagnostic, actions);
    }
  }
  if (fix_all != FixAll::LeftOut && found.has_safe_fix) {
    actions.push_back(fix_all_of(found, fix_all));
  }
  return actions;
}

/// `all` with what is wrong with what was explored.
static auto with_explored(const Analysis& analysis, FileId file, std::vector<Diagnostic> all)
    -> std::vector<Diagnostic> {
  const auto add = [&](FileId importer, const std::vector<program::ExploredChoice>& choices) {
    if (choices.empty()) {
      return;
    }
    std::vector<Diagnostic> found =
        problems::explored_findings(analysis.snapshot(), importer, choices);
    std::erase_if(found, [&](const Diagnostic& finding) { return finding.place.file != file; });
    problems::merge(std::move(found), all);
  };
  add(file, analysis.explored(file));
  for (const auto& [importer, choices] : analysis.explored_by_importers(file)) {
    add(importer, choices);
  }
  return all;
}

auto file_diagnostics(const Analysis& analysis, FileId file, Executor& executor)
    -> std::vector<Diagnostic> {
  return with_explored(
      analysis, file,
      problems::find(analysis.snapshot(), std::vector{file},
                     {.lint = linter::LintOptions{.settings = analysis.lint(file)}}, executor)
          .front());
}

auto file_diagnostics(const Analysis& analysis, FileId file) -> std::vector<Diagnostic> {
  return with_explored(
      analysis, file,
      problems::find(analysis.snapshot(), file,
                     {.lint = linter::LintOptions{.settings = analysis.lint(file)}}));
}

auto actions_at(const Analysis& analysis, FileId file, TextRange range, FixAll fix_all)
    -> std::vector<Action> {
  const program::FrontendSnapshot& snapshot = analysis.snapshot();
  Mendable mendable = find_fixes(snapshot, file, analysis.lint(file), range, fix_all);
  mendable.diagnostics = with_explored(analysis, file, std::move(mendable.diagnostics));
  const std::vector<Diagnostic>& found = mendable.diagnostics;
  std::vector<Action> fillings = fill_actions(snapshot, file, range, mendable.diagnostics);
  std::vector<Action> actions = schedule_actions(snapshot, file, range, found, analysis.plans());
  const auto append = [&](std::vector<Action> more) {
    std::move(more.begin(), more.end(), std::back_inserter(actions));
  };
  append(std::move(fillings));
  append(refactorings(snapshot, file, range));
  append(code_actions(mendable, range, fix_all));
  for (const Diagnostic& diagnostic : found) {
    if (meet(diagnostic.place.range, range)) {
      add_suppression(diagnostic, *analysis.text(file), actions);
    }
  }
  Action imports{"organize imports", Action::Kind::OrganizeImports, false, {}, {}};
  imports.edits = organize_imports(*analysis.syntax(file), *analysis.text(file), found);
  if (!imports.edits.empty()) {
    actions.push_back(std::move(imports));
  }
  return actions;
}

}  // namespace tacet::ide
