#include "compiler/front/types/constant.h"

#include "compiler/front/names/queries.h"
#include "compiler/front/types/operator_scheme.h"

namespace tacet::types {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

using Value = std::optional<int64_t>;

auto divide(int64_t a, int64_t b, bool wants_rest) -> Value {
  if (b == 0 || (b == -1 && a == INT64_MIN)) {
    return std::nullopt;
  }
  return wants_rest ? a % b : a / b;
}

/// Nothing if `overflows`. The value is read after the flag was computed.
auto checked(bool overflows, const int64_t& value) -> Value {
  return overflows ? Value() : Value(value);
}

auto shift(Operator op, int64_t a, int64_t b) -> Value {
  if (b < 0 || b > 63) {
    return std::nullopt;
  }
  const auto bits = static_cast<uint64_t>(a);
  // Both right shifts repeat the sign.
  return op == Operator::Shl ? static_cast<int64_t>(bits << b) : a >> b;
}

auto apply(Operator op, int64_t a, int64_t b) -> Value {
  int64_t result = 0;
  switch (op) {
    case Operator::Add:
      return checked(__builtin_add_overflow(a, b, &result), result);
    case Operator::Sub:
      return checked(__builtin_sub_overflow(a, b, &result), result);
    case Operator::Mul:
      return checked(__builtin_mul_overflow(a, b, &result), result);
    case Operator::Div:
      return divide(a, b, false);
    case Operator::Mod:
      return divide(a, b, true);
    case Operator::Lt:
      return a < b ? 1 : 0;
    case Operator::Leq:
      return a <= b ? 1 : 0;
    case Operator::Gt:
      return a > b ? 1 : 0;
    case Operator::Geq:
      return a >= b ? 1 : 0;
    case Operator::Eq:
      return a == b ? 1 : 0;
    case Operator::Neq:
      return a != b ? 1 : 0;
    case Operator::And:
    case Operator::Land:
      return a & b;
    case Operator::Or:
    case Operator::Lor:
      return a | b;
    case Operator::Xor:
      return a ^ b;
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
      return shift(op, a, b);
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      return std::nullopt;
  }
  return std::nullopt;
}

auto integer_value(Node literal) -> Value {
  const std::optional<uint64_t> value = names::parse_integer(literal.text());
  return value && *value <= INT64_MAX ? Value(static_cast<int64_t>(*value)) : Value();
}

auto apply_prefix(NodeKind token, int64_t operand) -> Value {
  if (token == NodeKind::Minus) {
    return operand == INT64_MIN ? Value() : Value(-operand);
  }
  if (token == NodeKind::Bang) {
    return operand == 0 ? 1 : 0;
  }
  return token == NodeKind::Tilde ? Value(~operand) : Value();
}

}  // namespace

auto evaluate_constant(Node node, const std::function<Value(Node)>& value_of) -> Value {
  const auto value_in = [&](Field field) { return evaluate_constant(node.child(field), value_of); };
  if (node.is(NodeKind::Integer)) {
    return integer_value(node);
  }
  if (node.is(NodeKind::Boolean)) {
    return node.text() == "true" ? 1 : 0;
  }
  if (node.is(NodeKind::Identifier) || node.is(NodeKind::CallExpression)) {
    return value_of(node);
  }
  if (node.is(NodeKind::ParenthesizedExpression)) {
    return value_in(Field::Value);
  }
  if (node.is(NodeKind::UnaryExpression)) {
    const Value operand = value_in(Field::Operand);
    return operand ? apply_prefix(node.child(Field::Operator).kind(), *operand) : Value();
  }
  if (node.is(NodeKind::BinaryExpression)) {
    Operator op{};
    const Value left = value_in(Field::Left);
    const Value right = value_in(Field::Right);
    return left && right && find_operator(node.child(Field::Operator).kind(), 2, op)
               ? apply(op, *left, *right)
               : Value();
  }
  if (node.is(NodeKind::ConditionalExpression)) {
    const Value condition = value_in(Field::Condition);
    return condition ? value_in(*condition != 0 ? Field::Consequence : Field::Alternative)
                     : Value();
  }
  return std::nullopt;
}

}  // namespace tacet::types
