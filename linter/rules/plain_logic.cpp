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

/// The text of an expression that `!` can precede.
static auto as_operand(Node expression) -> std::string {
  const bool needs_parentheses =
      expression.is(NodeKind::BinaryExpression) || expression.is(NodeKind::ConditionalExpression) ||
      expression.is(NodeKind::CastExpression) || expression.is(NodeKind::LetExpression);
  return needs_parentheses ? fmt::format("({})", expression.text())
                           : std::string(expression.text());
}

/// Where the form is compared with another text, a fix may break that.
static auto safety(const Text& text) -> Applicability {
  return text.is_free_in_form() ? Applicability::Safe : Applicability::Unsafe;
}

static void replace(const Text& text, Diagnostic& finding, TextRange range, std::string written) {
  if (!has_comment(text.tree, range)) {
    const std::string title = fmt::format("replace with `{}`", written);
    add_fix(finding, title, safety(text), {{range, std::move(written)}});
  }
}

/// Rule: bool-comparison
///
/// What it does: finds comparisons with `true` or `false`.
/// Why: a boolean is a condition by itself.
/// Example: `if is_open == true { … }`
/// Use instead: `if is_open { … }`
/// Fix safety: safe in device functions. In specifications and in coordinator functions it is
/// unsafe, for what they say is compared operation by operation.
static void check_comparison(const Text& text, Node operation, TextFindings& findings) {
  const std::string_view op = operation.child(Field::Operator).text();
  if (op != "==" && op != "!=") {
    return;
  }
  Node value = operation.child(Field::Left);
  Node constant = bare(operation.child(Field::Right));
  if (!constant.is(NodeKind::Boolean)) {
    constant = bare(value);
    value = operation.child(Field::Right);
  }
  if (!value || !constant.is(NodeKind::Boolean) || bare(value).is(NodeKind::Boolean)) {
    return;
  }
  const bool is_kept = (op == "==") == (constant.text() == "true");
  Diagnostic& finding = findings.add(
      DiagnosticCode::T9208, operation.range(),
      fmt::format("this is equivalent to `{}{}`", is_kept ? "" : "!", as_operand(value)));
  replace(text, finding, operation.range(), is_kept ? as_operand(value) : "!" + as_operand(value));
}

auto bool_comparison() -> Rule {
  return text_rule(DiagnosticCode::T9208, "bool-comparison", Group::Style,
                   {NodeKind::BinaryExpression}, check_comparison);
}

/// The only value of a branch.
static auto value_of(Node branch) -> Node {
  if (!branch.is(NodeKind::Block)) {
    return bare(branch);
  }
  const std::vector<Node> statements = statements_of(branch);
  return statements.size() == 1 ? bare(branch.child(Field::Result)) : Node();
}

/// Rule: bool-choice
///
/// What it does: finds choices between `true` and `false`.
/// Why: the condition is the value. Under encryption a choice costs a product.
/// Example: `true if x > 0 else false`
/// Use instead: `x > 0`
/// Fix safety: as for bool-comparison.
static void check_choice(const Text& text, Node choice, TextFindings& findings) {
  const Node then = value_of(choice.child(Field::Consequence));
  const Node otherwise = value_of(choice.child(Field::Alternative));
  const Node condition = choice.child(Field::Condition);
  if (!condition || !then.is(NodeKind::Boolean) || !otherwise.is(NodeKind::Boolean) ||
      then.text() == otherwise.text()) {
    return;
  }
  const bool is_kept = then.text() == "true";
  const std::string written =
      is_kept ? std::string(bare(condition).text()) : "!" + as_operand(bare(condition));
  Diagnostic& finding = findings.add(
      DiagnosticCode::T9209, choice.range(),
      fmt::format("this is equivalent to {}", is_kept ? "the condition" : "the negated condition"));
  const Node around = text.parent(choice);
  const bool is_statement = around.is(NodeKind::Block) && choice.field() != Field::Result;
  const bool is_whole = around.is(NodeKind::LetStatement) || around.is(NodeKind::Block) ||
                        around.is(NodeKind::AssignmentStatement) ||
                        around.is(NodeKind::ReturnStatement) ||
                        around.is(NodeKind::ReturnsStatement) || around.is(NodeKind::Definition) ||
                        around.is(NodeKind::ParenthesizedExpression) || !is_kept;
  if (!is_statement && is_whole && !contains(condition, NodeKind::Tags)) {
    replace(text, finding, choice.range(), written);
  }
}

auto bool_choice() -> Rule {
  return text_rule(DiagnosticCode::T9209, "bool-choice", Group::Style,
                   {NodeKind::ConditionalExpression, NodeKind::IfExpression}, check_choice);
}

static auto opposite(const Text& text, Node comparison) -> std::string_view {
  struct Pair {
    std::string_view op, opposite;
    bool is_for_all;  ///< also for numbers that are none
  };
  static constexpr std::array kPairs = {
      Pair{"==", "!=", true}, Pair{"!=", "==", true}, Pair{"<", ">=", false},
      Pair{">=", "<", false}, Pair{">", "<=", false}, Pair{"<=", ">", false},
  };
  const std::string_view op = comparison.child(Field::Operator).text();
  const auto* pair =
      std::find_if(kPairs.begin(), kPairs.end(), [&](const Pair& entry) { return entry.op == op; });
  const types::Type& type = text.type(comparison.child(Field::Left));
  const bool may_be_nan = types::is_float(type.dtype);
  return pair == kPairs.end() || (may_be_nan && !pair->is_for_all) ? std::string_view()
                                                                   : pair->opposite;
}

/// Rule: double-negation
///
/// What it does: finds `!!x`, `-(-x)` and `!(a == b)`.
/// Why: it takes a second look to see what is meant.
/// Example: `!(x < low)`
/// Use instead: `x >= low`
/// Fix safety: as for bool-comparison. Orders of floating-point numbers are left alone, for of NaN
/// neither is true.
static void check_negation(const Text& text, Node negation, TextFindings& findings) {
  const std::string_view op = negation.child(Field::Operator).text();
  const Node operand = negation.child(Field::Operand);
  const Node inner = bare(operand);
  if (!inner || (op != "!" && op != "-")) {
    return;
  }
  if (inner.is(NodeKind::UnaryExpression) && inner.child(Field::Operator).text() == op) {
    const Node value = inner.child(Field::Operand);
    Diagnostic& finding = findings.add(DiagnosticCode::T9210, negation.range(),
                                       fmt::format("double `{}` has no effect", op));
    replace(text, finding, negation.range(), std::string(value.text()));
  } else if (op == "!" && inner.is(NodeKind::BinaryExpression)) {
    const std::string_view other = opposite(text, inner);
    if (other.empty()) {
      return;
    }
    const std::string written = fmt::format("{} {} {}", inner.child(Field::Left).text(), other,
                                            inner.child(Field::Right).text());
    Diagnostic& finding = findings.add(DiagnosticCode::T9210, negation.range(),
                                       fmt::format("this is equivalent to `{}`", written));
    // An operand of something else keeps its parentheses.
    const bool is_operand = text.parent(negation).is(NodeKind::BinaryExpression) ||
                            text.parent(negation).is(NodeKind::UnaryExpression) ||
                            text.parent(negation).is(NodeKind::CastExpression);
    replace(text, finding, is_operand ? operand.range() : negation.range(),
            is_operand ? fmt::format("({})", written) : written);
    if (is_operand && !finding.fixes.empty()) {
      finding.fixes.back().edits.insert(finding.fixes.back().edits.begin(),
                                        {{negation.range().begin, operand.range().begin}, ""});
    }
  }
}

auto double_negation() -> Rule {
  return text_rule(DiagnosticCode::T9210, "double-negation", Group::Style,
                   {NodeKind::UnaryExpression}, check_negation);
}

/// Rule: collapsible-else
///
/// What it does: finds an `else` whose block holds one `if` and nothing else.
/// Why: `else if` says the same one level further out.
/// Example: `if a { 1 } else { if b { 2 } else { 3 } }`
/// Use instead: `if a { 1 } else if b { 2 } else { 3 }`
/// Fix safety: safe.
static void check_else(const Text& text, Node branch, TextFindings& findings) {
  const Node block = branch.child(Field::Alternative);
  const std::vector<Node> statements =
      block.is(NodeKind::Block) ? statements_of(block) : std::vector<Node>();
  if (statements.size() != 1 || !statements[0].is(NodeKind::IfExpression)) {
    return;
  }
  const TextRange outer = block.range();
  const TextRange inner = statements[0].range();
  const TextRange head{outer.begin, inner.begin};
  const TextRange tail{inner.end, outer.end};
  if (has_comment(text.tree, head) || has_comment(text.tree, tail)) {
    return;
  }
  Diagnostic& finding = findings.add(DiagnosticCode::T9211, {outer.begin, outer.begin + 1},
                                     "this block contains only an `if`");
  add_fix(finding, "use `else if`", Applicability::Safe, unwrapping(text.tree, outer, inner));
}

auto collapsible_else() -> Rule {
  return text_rule(DiagnosticCode::T9211, "collapsible-else", Group::Style,
                   {NodeKind::IfExpression}, check_else);
}

}  // namespace tacet::linter
