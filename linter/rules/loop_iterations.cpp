#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/leaving.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto is_loop(Node node) -> bool {
  return node.is(NodeKind::ForStatement) || node.is(NodeKind::WhileStatement) ||
         node.is(NodeKind::DoStatement);
}

/// Is there a statement of this kind that is about the loop itself?
static auto has_own(const Text& text, Node loop, NodeKind kind) -> bool {
  for (uint32_t i = loop.index(); i < loop.subtree_end(); ++i) {
    if (!text.node(i).is(kind)) {
      continue;
    }
    Node around = text.parent(text.node(i));
    while (!is_loop(around)) {
      around = text.parent(around);
    }
    if (around == loop) {
      return true;
    }
  }
  return false;
}

/// Rule: loop-runs-once
///
/// What it does: finds loops whose body leaves them on every path.
/// Why: there is no second iteration; a condition around the `break` or `return` was forgotten.
/// Example: `for i in 0..n { found = t[i] == x; break; }`
/// Use instead: `for i in 0..n { if t[i] == x { found = true; break; } }`
/// Fix safety: there is none.
static void check_runs_once(const Text& text, Node loop, TextFindings& findings) {
  if (always_leaves(loop.child(Field::Body)) && !has_own(text, loop, NodeKind::ContinueStatement)) {
    const TextRange head{loop.range().begin, loop.child(Field::Body).range().begin};
    findings.add(DiagnosticCode::T9112,
                 loop.is(NodeKind::DoStatement) ? TextRange{head.begin, head.begin + 2} : head,
                 "loop runs at most once because its body always exits");
  }
}

auto loop_runs_once() -> Rule {
  return text_rule(DiagnosticCode::T9112, "loop-runs-once", Group::Suspicious,
                   {NodeKind::ForStatement, NodeKind::WhileStatement, NodeKind::DoStatement},
                   check_runs_once);
}

/// Does something in the loop assign to the local that `name` names?
static auto is_assigned_in(const Text& text, Node loop, Node name) -> bool {
  const names::Resolution wanted = text.body.names.of(name.index());
  for (uint32_t i = loop.index(); i < loop.subtree_end(); ++i) {
    if (!text.node(i).is(NodeKind::AssignmentStatement)) {
      continue;
    }
    Node target = text.node(i).child(Field::Target);
    while (target.is(NodeKind::IndexExpression) || target.is(NodeKind::FieldExpression)) {
      target = target.child(target.is(NodeKind::IndexExpression) ? Field::Array : Field::Record);
    }
    if (!target.is(NodeKind::Identifier) || text.body.names.of(target.index()) == wanted) {
      return true;
    }
  }
  return false;
}

/// Rule: unchanging-condition
///
/// What it does: finds a `while` whose condition reads only what its body leaves as it is, and that
/// nothing in the body leaves.
/// Why: it has no iteration, or it does not end before its `max`.
/// Example: `while i < n max 8 { sum = sum + t[i]; }`
/// Use instead: `while i < n max 8 { sum = sum + t[i]; i = i + 1; }`
/// Fix safety: there is none.
static void check_condition(const Text& text, Node loop, TextFindings& findings) {
  const Node condition = loop.child(Field::Condition);
  if (text.has_holes || !is_repeatable(text, condition) ||
      has_own(text, loop, NodeKind::BreakStatement) || contains(loop, NodeKind::ReturnStatement)) {
    return;
  }
  bool reads = false;
  for (uint32_t i = condition.index(); i < condition.subtree_end(); ++i) {
    const Node node = text.node(i);
    if (text.body.names.of(i).is(names::Meaning::Local)) {
      reads = true;
      if (is_assigned_in(text, loop, node)) {
        return;
      }
    }
  }
  if (reads) {
    findings.add(DiagnosticCode::T9113, condition.range(),
                 "the loop never updates the variables in this condition");
  }
}

auto unchanging_condition() -> Rule {
  return text_rule(DiagnosticCode::T9113, "unchanging-condition", Group::Suspicious,
                   {NodeKind::WhileStatement, NodeKind::DoStatement}, check_condition);
}

}  // namespace tacet::linter
