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

/// Nothing if `overflows`. The value is looked at after what says so was computed.
auto checked(bool overflows, const int64_t& value) -> Value {
  return overflows ? Value() : Value(value);
}

auto shift(Operator op, int64_t a, int64_t b) -> Value {
  if (b < 0 || b > 63) {
    return std::nullopt;
  }
  const auto bits = static_cast<uint64_t>(a);
  switch (op) {
    case Operator::Shl:
      return static_cast<int64_t>(bits << b);
    default:  // both of them repeat the sign
      return a >> b;
  }
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

}  // namespace

auto evaluate_constant(Node node, const std::function<Value(Node)>& value_of) -> Value {
  switch (node.kind()) {
    case NodeKind::Integer: {
      const std::optional<uint64_t> value = names::parse_integer(node.text());
      return value && *value <= INT64_MAX ? Value(static_cast<int64_t>(*value)) : Value();
    }
    case NodeKind::Boolean:
      return node.text() == "true" ? 1 : 0;
    case NodeKind::Identifier:
      return value_of(node);
    case NodeKind::ParenthesizedExpression:
      return evaluate_constant(node.child(Field::Value), value_of);
    case NodeKind::UnaryExpression: {
      const Value operand = evaluate_constant(node.child(Field::Operand), value_of);
      const NodeKind token = node.child(Field::Operator).kind();
      if (!operand || (token == NodeKind::Minus && *operand == INT64_MIN)) {
        return std::nullopt;
      }
      return token == NodeKind::Minus   ? Value(-*operand)
             : token == NodeKind::Bang  ? Value(*operand == 0 ? 1 : 0)
             : token == NodeKind::Tilde ? Value(~*operand)
                                        : Value();
    }
    case NodeKind::BinaryExpression: {
      Operator op{};
      const Value left = evaluate_constant(node.child(Field::Left), value_of);
      const Value right = evaluate_constant(node.child(Field::Right), value_of);
      return left && right && find_operator(node.child(Field::Operator).kind(), 2, op)
                 ? apply(op, *left, *right)
                 : Value();
    }
    case NodeKind::ConditionalExpression: {
      const Value condition = evaluate_constant(node.child(Field::Condition), value_of);
      if (!condition) {
        return std::nullopt;
      }
      return evaluate_constant(
          node.child(*condition != 0 ? Field::Consequence : Field::Alternative), value_of);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tacet::types
