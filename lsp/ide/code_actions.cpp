#include "lsp/ide/code_actions.h"

#include "compiler/diagnostics/apply_edits.h"
#include "linter/apply_fixes.h"

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

static auto fix_all(std::span<const Diagnostic> diagnostics) -> Action {
  Action action;
  action.title = "apply every safe fix";
  action.kind = Action::Kind::FixAll;
  action.edits = sorted_edits(linter::choose_fixes(diagnostics, Applicability::Safe).edits);
  return action;
}

auto code_actions(std::span<const Diagnostic> diagnostics, TextRange range) -> std::vector<Action> {
  std::vector<Action> actions;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (meet(diagnostic.place.range, range)) {
      add_fixes(diagnostic, actions);
    }
  }
  Action all = fix_all(diagnostics);
  if (!all.edits.empty()) {
    actions.push_back(std::move(all));
  }
  return actions;
}

}  // namespace tacet::ide
