#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Rule: constant-condition
///
/// What it does: finds conditions that are `true` or `false` as they are written. `while true` is
/// how one writes a loop that is left from inside, and is left alone.
/// Why: one of the sides never runs.
/// Example: `x if true else y`
/// Use instead: `x`; or a `const` whose name says what is switched.
/// Fix safety: for a choice, taking the side is safe if the other one only computes.
static void find_constant_condition(const Text& text, Node choice, TextFindings& findings) {
  const Node condition = choice.child(Field::Condition);
  const Node value = bare(condition);
  if (!value.is(NodeKind::Boolean)) {
    return;
  }
  const bool is_true = value.text() == "true";
  const bool is_loop = choice.is(NodeKind::WhileStatement) || choice.is(NodeKind::DoStatement);
  if (is_loop && (is_true || choice.is(NodeKind::DoStatement))) {
    return;
  }
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9104, condition.range(),
                   fmt::format("this condition is always {}", is_true ? "true" : "false"));
  const Node taken = choice.child(is_true ? Field::Consequence : Field::Alternative);
  const Node other = choice.child(is_true ? Field::Alternative : Field::Consequence);
  if (choice.is(NodeKind::ConditionalExpression) && text.is_free_in_form() &&
      is_idle(text, other)) {
    const std::vector<TextEdit> edits = unwrapping(text.tree, choice.range(), taken.range());
    if (!has_comment(text.tree, edits[0].range) && !has_comment(text.tree, edits[1].range)) {
      add_fix(finding, "keep only this branch", Applicability::Safe, edits);
    }
  }
}

auto constant_condition() -> Rule {
  return text_rule(
      DiagnosticCode::T9104, "constant-condition", Group::Suspicious,
      {NodeKind::IfExpression, NodeKind::ConditionalExpression, NodeKind::WhileStatement},
      find_constant_condition);
}

}  // namespace tacet::linter
