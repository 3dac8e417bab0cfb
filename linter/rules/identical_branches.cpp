#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: identical-branches
///
/// What it does: finds an `if` or a choice that is the same on both sides.
/// Why: the condition decides nothing; one of the sides was meant to be something else.
/// Example: `low if x < low else low`
/// Use instead: `low if x < low else x`
/// Fix safety: for a choice, taking one side is unsafe: most likely something else was meant.
static void find_identical_branches(const Text& text, Node choice, TextFindings& findings) {
  const Node then = choice.child(Field::Consequence);
  const Node otherwise = choice.child(Field::Alternative);
  if (!then || !otherwise || !is_same(bare(then), bare(otherwise)) ||
      contains(choice, NodeKind::StatementHole) || contains(choice, NodeKind::Hole)) {
    return;
  }
  if (then.is(NodeKind::Block) && statements_of(then).empty()) {
    return;
  }
  Diagnostic& finding = findings.add(DiagnosticCode::T9102, choice.range(),
                                     "both branches are identical, so the condition has no effect");
  add_label(finding, choice.child(Field::Condition).range(), "this condition");
  if (choice.is(NodeKind::ConditionalExpression) && text.is_free_in_form()) {
    const TextRange rest{then.range().end, choice.range().end};
    add_fix(finding, "remove the condition", Applicability::Unsafe, {{rest, ""}});
  }
}

auto identical_branches() -> Rule {
  return text_rule(DiagnosticCode::T9102, "identical-branches", Group::Suspicious,
                   {NodeKind::IfExpression, NodeKind::ConditionalExpression},
                   find_identical_branches);
}

}  // namespace tacet::linter
