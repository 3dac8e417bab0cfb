#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Is the variable an encoder or what becomes of one? Those are covered by the flows.
static auto is_handle(const types::Type& type) -> bool {
  return type.kind == types::TypeKind::Encoder || type.kind == types::TypeKind::Future ||
         type.kind == types::TypeKind::Event || type.kind == types::TypeKind::BufferSpace;
}

/// Without the statement if evaluating it does nothing, else without the name.
static auto removal_fix(const Text& text, Node statement, Node name, bool is_alone) -> Fix {
  const Node value = statement.child(Field::Value);
  if (is_alone && (!value || is_idle(text, value))) {
    return {
        "remove the statement", Applicability::Safe, {removal_of(text.tree, statement.range())}};
  }
  return {"replace with `_`", Applicability::Safe, {{name.range(), "_"}}};
}

/// Rule: unused-variable
///
/// What it does: finds unused variables of device functions. In coordinator functions the
/// specification asks for each value, and unused-node finds unused ones. Why: readers of the
/// function look for their use; under encryption they cost something, too.
/// Example: `let rest = x % 2; x / 2`
/// Use instead: leave it out, or `_` if the value must be computed or taken apart.
/// Fix safety: safe; a statement goes only if evaluating it does nothing and cannot fail. There is
/// none where the variable is assigned to.
static void find_unused_variable(const Text& text, Node statement, TextFindings& findings) {
  if (text.has_holes || !text.is_free_in_form()) {
    return;
  }
  size_t n_bindings = 0;
  for (const Node child : statement.children()) {
    n_bindings += child.is(NodeKind::Binding) ? 1 : 0;
  }
  for (const Node child : statement.children()) {
    const Node name = child.is(NodeKind::Binding) ? child.child(Field::Name) : Node();
    const Uses* uses = name.is(NodeKind::Identifier) ? text.uses_of(name) : nullptr;
    if (uses == nullptr || uses->n_reads > 0 || is_handle(text.type(name))) {
      continue;
    }
    const bool is_set = uses->n_writes + uses->n_stores > 0;
    Diagnostic& finding =
        findings.add(DiagnosticCode::T9004, name.range(),
                     fmt::format("`{}` {}", name.text(),
                                 is_set ? "is assigned but never read" : "is never read"));
    finding.tag = DiagnosticTag::Unnecessary;
    if (!is_set && !statement.is(NodeKind::LetExpression)) {
      finding.fixes.push_back(removal_fix(text, statement, name, n_bindings == 1));
    }
  }
}

auto unused_variable() -> Rule {
  return text_rule(DiagnosticCode::T9004, "unused-variable", Group::DeadCode,
                   {NodeKind::LetStatement, NodeKind::VarStatement, NodeKind::LetExpression},
                   find_unused_variable);
}

}  // namespace tacet::linter
