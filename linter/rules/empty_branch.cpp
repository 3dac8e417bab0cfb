#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// A comment in it says why.
static auto is_empty(const Text& text, Node block) -> bool {
  return block.is(NodeKind::Block) && statements_of(block).empty() &&
         !has_comment(text.tree, block.range());
}

/// Rule: empty-branch
///
/// What it does: finds branches of an `if` in which nothing stands, not even a comment.
/// Why: nothing happens there, or something was forgotten.
/// Example: `if x > 0 { y = 1; } else { }`
/// Use instead: `if x > 0 { y = 1; }`
/// Not checked: the first branch in coordinator functions, whose condition is the specification's.
/// Fix safety: safe for an `else`, and for a whole `if` whose condition only computes.
static void find_empty_branch(const Text& text, Node branch, TextFindings& findings) {
  const Node then = branch.child(Field::Consequence);
  const Node otherwise = branch.child(Field::Alternative);
  if (is_empty(text, otherwise)) {
    const TextRange all{then.range().end, otherwise.range().end};
    Diagnostic& finding = findings.add(DiagnosticCode::T9008, otherwise.range(), "empty `else`");
    finding.tag = DiagnosticTag::Unnecessary;
    if (!has_comment(text.tree, all)) {
      add_fix(finding, "remove the `else`", Applicability::Safe, {{all, ""}});
    }
  } else if (is_empty(text, then) && text.is_free_in_form()) {
    Diagnostic& finding = findings.add(DiagnosticCode::T9008, then.range(), "empty branch");
    const Node around = text.parent(branch);
    const bool is_statement = around.is(NodeKind::Block) && branch.field() != Field::Result;
    if (!otherwise && is_statement && is_idle(text, branch.child(Field::Condition))) {
      add_fix(finding, "remove the `if`", Applicability::Safe,
              {removal_of(text.tree, branch.range())});
    }
  }
}

auto empty_branch() -> Rule {
  return text_rule(DiagnosticCode::T9008, "empty-branch", Group::DeadCode, {NodeKind::IfExpression},
                   find_empty_branch);
}

}  // namespace tacet::linter
