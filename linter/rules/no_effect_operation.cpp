#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Which operand stays as it is, if one does.
static auto operand_kept(std::string_view op, Node left, Node right) -> Node {
  const auto is_number = [](Node node, std::string_view digits) {
    return node.is(NodeKind::Integer) && node.text() == digits;
  };
  const bool adds = op == "+" || op == "|" || op == "^";
  const bool moves = op == "-" || op == "<<" || op == ">>" || op == ">>>";
  if (((adds || moves) && is_number(right, "0")) ||
      ((op == "*" || op == "/") && is_number(right, "1"))) {
    return left;
  }
  const bool begins = (adds && is_number(left, "0")) || (op == "*" && is_number(left, "1"));
  return begins ? right : Node();
}

/// Does one operand alone make it 0?
static auto is_always_zero(std::string_view op, Node left, Node right) -> bool {
  const auto is_zero = [](Node node) { return node.is(NodeKind::Integer) && node.text() == "0"; };
  return ((op == "*" || op == "&") && (is_zero(left) || is_zero(right))) ||
         (op == "%" && right.is(NodeKind::Integer) && right.text() == "1");
}

/// In an index it makes several similar accesses look alike: `a[i + 0] + a[i + 1]`.
static auto is_in_index(const Text& text, Node node) -> bool {
  for (Node at = node; at; at = text.parent(at)) {
    if (at.field() == Field::Index) {
      return true;
    }
  }
  return false;
}

/// Rule: no-effect-operation
///
/// What it does: finds additions of 0, products with 1 and the like, and products with 0.
/// Why: the operation does nothing, or forgets its operand; another number was meant, or it is left
/// over. Under encryption it may cost something all the same.
/// Example: `x * 1 + 0`
/// Use instead: `x`
/// Fix safety: safe in device functions where the type stays the same. Specifications and what
/// implements them are left alone: they are compared operation by operation.
static void find_no_effect_operation(const Text& text, Node operation, TextFindings& findings) {
  const std::string_view op = operation.child(Field::Operator).text();
  const Node left = operation.child(Field::Left);
  const Node right = operation.child(Field::Right);
  if (!text.is_free_in_form() || !left || !right || (is_literal(left) && is_literal(right)) ||
      is_in_index(text, operation)) {
    return;
  }
  if (is_always_zero(op, bare(left), bare(right))) {
    findings.add(DiagnosticCode::T9108, operation.range(), "this is always 0");
    return;
  }
  const Node kept = operand_kept(op, bare(left), bare(right));
  if (!kept) {
    return;
  }
  Diagnostic& finding = findings.add(DiagnosticCode::T9108, operation.range(),
                                     fmt::format("this is equivalent to `{}`", kept.text()));
  const Node written = kept == bare(left) ? left : right;
  const std::vector<TextEdit> edits = unwrapping(text.tree, operation.range(), written.range());
  if (text.body.type(operation) == text.body.type(kept) &&
      !has_comment(text.tree, edits[0].range) && !has_comment(text.tree, edits[1].range)) {
    add_fix(finding, "remove the rest", Applicability::Safe, edits);
  }
}

auto no_effect_operation() -> Rule {
  return text_rule(DiagnosticCode::T9108, "no-effect-operation", Group::Suspicious,
                   {NodeKind::BinaryExpression}, find_no_effect_operation);
}

}  // namespace tacet::linter
