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

/// What `x op x` is, whatever `x` is.
struct Law {
  std::string_view op;
  std::string_view meaning;
};

static constexpr std::array kLaws = {
    Law{"-", "always 0"},     Law{"/", "always 1"},     Law{"%", "always 0"},
    Law{"^", "always 0"},     Law{"&", "the operand"},  Law{"|", "the operand"},
    Law{"&&", "the operand"}, Law{"||", "the operand"}, Law{"==", "always true"},
    Law{"<=", "always true"}, Law{">=", "always true"}, Law{"!=", "always false"},
    Law{"<", "always false"}, Law{">", "always false"},
};

/// Rule: same-operands
///
/// What it does: finds operators with the same expression on both sides.
/// Why: the result does not depend on it; one of the sides was meant to be something else.
/// Example: `dx * dx + (y - y)`
/// Use instead: the other operand.
/// Fix safety: there is none. Floating-point numbers compared with themselves are left alone: that
/// is how one asks for NaN.
static void find_same_operands(const Text& text, Node operation, TextFindings& findings) {
  const Node left = bare(operation.child(Field::Left));
  const Node right = bare(operation.child(Field::Right));
  const std::string_view op = operation.child(Field::Operator).text();
  const auto* law =
      std::find_if(kLaws.begin(), kLaws.end(), [&](const Law& entry) { return entry.op == op; });
  if (!left || !right || law == kLaws.end() || is_literal(left) || !is_same(left, right) ||
      !is_repeatable(text, left)) {
    return;
  }
  const types::Type& type = text.type(left);
  if ((op == "==" || op == "!=") && type.kind == types::TypeKind::Value &&
      types::is_float(type.dtype)) {
    return;
  }
  findings.add(
      DiagnosticCode::T9101, operation.range(),
      fmt::format("both operands of `{}` are identical, so the result is {}", op, law->meaning));
}

auto same_operands() -> Rule {
  return text_rule(DiagnosticCode::T9101, "same-operands", Group::Suspicious,
                   {NodeKind::BinaryExpression}, find_same_operands);
}

}  // namespace tacet::linter
