#include "compiler/front/types/operation.h"

#include "base/check.h"

namespace tacet::types {

auto binary_operation(Operator op) -> engine::BinaryOperation {
  switch (op) {
    case Operator::Add:
      return engine::BinaryOperation::Add;
    case Operator::Sub:
      return engine::BinaryOperation::Sub;
    case Operator::Mul:
      return engine::BinaryOperation::Mul;
    case Operator::Div:
      return engine::BinaryOperation::Div;
    case Operator::Mod:
      return engine::BinaryOperation::Rem;
    case Operator::Lt:
      return engine::BinaryOperation::Less;
    case Operator::Leq:
      return engine::BinaryOperation::LessEqual;
    case Operator::Gt:
      return engine::BinaryOperation::Greater;
    case Operator::Geq:
      return engine::BinaryOperation::GreaterEqual;
    case Operator::Eq:
      return engine::BinaryOperation::Equal;
    case Operator::Neq:
      return engine::BinaryOperation::NotEqual;
    case Operator::And:
    case Operator::Land:
      return engine::BinaryOperation::And;
    case Operator::Or:
    case Operator::Lor:
      return engine::BinaryOperation::Or;
    case Operator::Xor:
      return engine::BinaryOperation::Xor;
    case Operator::Shl:
      return engine::BinaryOperation::Shl;
    case Operator::Shr:
      return engine::BinaryOperation::Shr;
    case Operator::Ashr:
      return engine::BinaryOperation::ShrArithmetic;
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      break;
  }
  TACET_CHECK(false, "not a binary operator");
}

auto unary_operation(Operator op) -> engine::UnaryOperation {
  return op == Operator::Neg   ? engine::UnaryOperation::Negate
         : op == Operator::Not ? engine::UnaryOperation::Not
                               : engine::UnaryOperation::Complement;
}

}  // namespace tacet::types
