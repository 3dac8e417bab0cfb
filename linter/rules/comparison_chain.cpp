#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto is_comparison(Node operation) -> bool {
  const NodeKind kind = operation.child(Field::Operator).kind();
  return kind == NodeKind::Less || kind == NodeKind::LessEqual || kind == NodeKind::Greater ||
         kind == NodeKind::GreaterEqual || kind == NodeKind::EqualEqual ||
         kind == NodeKind::NotEqual;
}

/// Rule: comparison-chain
///
/// What it does: finds comparisons in a row. This is where Tacet groups a program that has types
/// otherwise than most languages do: that comparisons bind tighter than `&`, `^`, `|` and shifts
/// here is checked by the types of their operands.
/// Why: `a < b < c` reads as if `b` were between them, and other languages reject it.
/// Example: `a < b == c`
/// Use instead: `(a < b) == c`
/// Fix safety: safe; parentheses are put where Tacet has them anyway.
static void find_comparison_chain(const Text&, Node operation, TextFindings& findings) {
  const Node inner = operation.child(Field::Left);
  if (!inner.is(NodeKind::BinaryExpression) || !is_comparison(operation) || !is_comparison(inner)) {
    return;
  }
  const TextRange range = inner.range();
  Diagnostic& finding =
      findings.add(DiagnosticCode::T9115, operation.range(),
                   fmt::format("this compares the boolean result of `{}`", inner.text()));
  add_label(finding, range, "left operand");
  add_fix(finding, "add parentheses", Applicability::Safe,
          {{{range.begin, range.begin}, "("}, {{range.end, range.end}, ")"}});
}

auto comparison_chain() -> Rule {
  return text_rule(DiagnosticCode::T9115, "comparison-chain", Group::Suspicious,
                   {NodeKind::BinaryExpression}, find_comparison_chain);
}

}  // namespace tacet::linter
