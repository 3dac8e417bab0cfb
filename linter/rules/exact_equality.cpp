#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto is_fractional(const Text& text, Node node) -> bool {
  const types::Type& type = text.type(node);
  return type.kind == types::TypeKind::Value && types::is_fractional(type.dtype);
}

/// Rule: exact-equality
///
/// What it does: finds `==` and `!=` of numbers with a fraction, but for comparisons with a number
/// that is written there.
/// Why: each product and quotient is rounded, between parties at random, so two computations of one
/// number differ slightly.
/// Example: `a / b == c`
/// Use instead: `abs(a / b - c) < 0.001`
/// Fix safety: there is none; how close is close enough is not known.
static void find_exact_equality(const Text& text, Node operation, TextFindings& findings) {
  const std::string_view op = operation.child(Field::Operator).text();
  const Node left = bare(operation.child(Field::Left));
  const Node right = bare(operation.child(Field::Right));
  if ((op != "==" && op != "!=") || !left || !right || is_literal(left) || is_literal(right) ||
      is_same(left, right) || (!is_fractional(text, left) && !is_fractional(text, right))) {
    return;
  }
  findings.add(DiagnosticCode::T9111, operation.range(),
               fmt::format("`{}` compares rounded numbers", op));
}

auto exact_equality() -> Rule {
  return text_rule(DiagnosticCode::T9111, "exact-equality", Group::Suspicious,
                   {NodeKind::BinaryExpression}, find_exact_equality);
}

}  // namespace tacet::linter
