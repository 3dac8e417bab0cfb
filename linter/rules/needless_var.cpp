#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: needless-var
///
/// What it does: finds variables declared with `var` that never change.
/// Why: `let` says so, and readers need not look for assignments.
/// Example: `var half = n / 2; half + 1`
/// Use instead: `let half = n / 2; half + 1`
/// Fix safety: safe in device functions; in others `let` may be a value of another flow.
static void find_needless_var(const Text& text, Node statement, TextFindings& findings) {
  if (text.has_holes || !statement.child(Field::Value)) {
    return;
  }
  std::vector<Node> names;
  for (const Node child : statement.children()) {
    const Node name = child.is(NodeKind::Binding) ? child.child(Field::Name) : Node();
    const Uses* uses = name.is(NodeKind::Identifier) ? text.uses_of(name) : nullptr;
    if (uses == nullptr) {
      continue;
    }
    if (uses->n_writes + uses->n_stores + uses->n_refers > 0 || uses->n_reads == 0) {
      return;
    }
    names.push_back(name);
  }
  if (names.empty()) {
    return;
  }
  const Node word = statement.child(NodeKind::KwVar);
  Diagnostic& finding = findings.add(DiagnosticCode::T9009, names.front().range(),
                                     fmt::format("`{}` is never modified", names.front().text()));
  add_fix(finding, "use `let`",
          text.is_device_function() ? Applicability::Safe : Applicability::Unsafe,
          {{word.range(), "let"}});
}

auto needless_var() -> Rule {
  return text_rule(DiagnosticCode::T9009, "needless-var", Group::DeadCode, {NodeKind::VarStatement},
                   find_needless_var);
}

}  // namespace tacet::linter
