#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: self-assignment
///
/// What it does: finds `x = x;` and `t[i] = t[i];`.
/// Why: nothing changes; another variable or another place was meant.
/// Example: `low = low; high = max(high, x);`
/// Use instead: `low = min(low, x); high = max(high, x);`
/// Fix safety: taking the assignment away is unsafe: most likely something else was meant.
static void find_self_assignment(const Text& text, Node assignment, TextFindings& findings) {
  const Node target = assignment.child(Field::Target);
  const Node value = bare(assignment.child(Field::Value));
  if (!value || !is_same(target, value) || !is_repeatable(text, target)) {
    return;
  }
  Diagnostic& finding = findings.add(DiagnosticCode::T9107, assignment.range(),
                                     fmt::format("`{}` is assigned to itself", target.text()));
  if (text.is_free_in_form()) {
    add_fix(finding, "remove the assignment", Applicability::Unsafe,
            {removal_of(text.tree, assignment.range())});
  }
}

auto self_assignment() -> Rule {
  return text_rule(DiagnosticCode::T9107, "self-assignment", Group::Suspicious,
                   {NodeKind::AssignmentStatement}, find_self_assignment);
}

}  // namespace tacet::linter
