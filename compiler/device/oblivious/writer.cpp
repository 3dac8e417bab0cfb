#include "compiler/device/oblivious/writer.h"

#include "base/overloads.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::oblivious {

using namespace kernel;
using engine::ElementKind;
using types::Operator;

auto Writer::negation(ExprId condition) -> ExprId {
  if (const auto* inner = std::get_if<Unary>(&kernel().exprs[condition].node);
      inner != nullptr && inner->op == Operator::Not) {
    return inner->operand;
  }
  return Builder::negation(condition);
}

auto Writer::as_number(ExprId truth, engine::ElementType type) -> ExprId {
  // What the language converts truth values to: integers.
  const bool is_integer = !engine::is_fractional(type.kind);
  return cast(is_integer ? truth : cast(truth, engine::kI64), type);
}

auto literal_value(const Kernel& kernel, ExprId expr) -> std::optional<int64_t> {
  const Expr& node = kernel.exprs[expr];
  const auto* literal = std::get_if<Literal>(&node.node);
  const ElementKind kind = node.type.element.kind;
  if (literal == nullptr || engine::is_fractional(kind) ||
      (kind == ElementKind::U64 && literal->cell > engine::max_integer(ElementKind::I64))) {
    return std::nullopt;
  }
  return static_cast<int64_t>(literal->cell);
}

auto same_expr(const Kernel& kernel, ExprId a, ExprId b) -> bool {
  if (a == b) {
    return true;
  }
  const Expr& left = kernel.exprs[a];
  const Expr& right = kernel.exprs[b];
  if (left.node.index() != right.node.index() || left.type != right.type) {
    return false;
  }
  std::vector<ExprId> of_left;
  std::vector<ExprId> of_right;
  visit_exprs(left, [&](ExprId id) { of_left.push_back(id); });
  visit_exprs(right, [&](ExprId id) { of_right.push_back(id); });
  if (of_left.size() != of_right.size()) {
    return false;
  }
  for (size_t i = 0; i < of_left.size(); ++i) {
    if (!same_expr(kernel, of_left[i], of_right[i])) {
      return false;
    }
  }
  return std::visit(
      Overloads{
          [&](const Literal& node) { return node == std::get<Literal>(right.node); },
          [&](const Read& node) { return node == std::get<Read>(right.node); },
          [](const Element&) { return true; },
          [&](const Unary& node) { return node.op == std::get<Unary>(right.node).op; },
          [&](const Binary& node) { return node.op == std::get<Binary>(right.node).op; },
          [](const Select&) { return true; },
          [](const Cast&) { return true; },
          [](const ArrayLiteral&) { return true; },
          [&](const Tabulate& node) { return node.index == std::get<Tabulate>(right.node).index; },
          [&](const Reduce& node) {
            const Reduce& other = std::get<Reduce>(right.node);
            return node.op == other.op && node.dimension == other.dimension;
          },
          [](const Rotate&) { return true; },
          [&](const Apply& node) { return node.function == std::get<Apply>(right.node).function; },
          [&](const Draw& node) {
            const Draw& other = std::get<Draw>(right.node);
            return node.function == other.function && node.bits == other.bits &&
                   node.words.size() == other.words.size() && node.is_secret == other.is_secret;
          },
      },
      left.node);
}

}  // namespace tacet::oblivious
