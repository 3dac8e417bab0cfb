#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Does the place take any expression as it is?
static auto takes_any(Node around, Field field) -> bool {
  static constexpr std::array kWithValue = {
      NodeKind::LetStatement,        NodeKind::VarStatement,
      NodeKind::AssignmentStatement, NodeKind::ReturnStatement,
      NodeKind::ReturnsStatement,    NodeKind::Definition,
      NodeKind::ConstItem,           NodeKind::ParenthesizedExpression,
  };
  if (field == Field::Value &&
      std::find(kWithValue.begin(), kWithValue.end(), around.kind()) != kWithValue.end()) {
    return true;
  }
  if (field == Field::Condition &&
      (around.is(NodeKind::IfExpression) || around.is(NodeKind::WhileStatement))) {
    return true;
  }
  return around.is(NodeKind::Arguments) || around.is(NodeKind::TupleExpression) ||
         around.is(NodeKind::ArrayExpression);
}

/// Is it one name or number as an operand: `(x) + 1`?
static auto is_lone_operand(Node around, Node value) -> bool {
  return (value.is(NodeKind::Identifier) || value.is(NodeKind::Integer)) &&
         (around.is(NodeKind::BinaryExpression) || around.is(NodeKind::UnaryExpression) ||
          around.is(NodeKind::CastExpression) || around.is(NodeKind::ConditionalExpression));
}

/// Rule: needless-parentheses
///
/// What it does: finds parentheses around a whole value, condition, argument or element, around
/// one name or number, and doubled ones.
/// Why: they group nothing, and make one look for what they do.
/// Example: `if (x > 0) { y = (a + b); }`
/// Use instead: `if x > 0 { y = a + b; }`
/// Fix safety: safe; what is read stays the same.
static void find_needless_parentheses(const Text& text, Node parentheses, TextFindings& findings) {
  const Node value = parentheses.child(Field::Value);
  const Node around = text.parent(parentheses);
  if (!value || (!takes_any(around, parentheses.field()) && !is_lone_operand(around, value))) {
    return;
  }
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9203, parentheses.range(), "unnecessary parentheses");
  finding.tag = DiagnosticTag::Unnecessary;
  const std::vector<TextEdit> edits = unwrapping(text.tree, parentheses.range(), value.range());
  if (!has_comment(text.tree, edits[0].range) && !has_comment(text.tree, edits[1].range)) {
    add_fix(finding, "remove the parentheses", Applicability::Safe, edits);
  }
}

auto needless_parentheses() -> Rule {
  return text_rule(DiagnosticCode::T9203, "needless-parentheses", Group::Style,
                   {NodeKind::ParenthesizedExpression}, find_needless_parentheses);
}

}  // namespace tacet::linter
