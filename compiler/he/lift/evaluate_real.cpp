#include "compiler/he/lift/lifter.h"

/// Operators and functions of reals as sums, products and functions of one number, which become
/// polynomials later.
namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

static auto difference(Terms& terms, TermId a, TermId b) -> TermId {
  return terms.operation(Operator::Subtract, a, b);
}

static auto quotient(Terms& terms, TermId left, TermId right) -> TermId {
  const TermId reciprocal = terms.function(FunctionKind::Reciprocal, {right});
  return terms.as_number(left) == 1 ? reciprocal : product(terms, left, reciprocal);
}

/// 1 where a < b.
static auto is_less(Terms& terms, TermId a, TermId b) -> TermId {
  return a == b ? terms.number(0) : terms.function(FunctionKind::Step, {difference(terms, b, a)});
}

auto real_operation(Lifter& lifter, types::Operator op, TermId left, TermId right, FileRange place)
    -> TermId {
  using types::Operator;
  Terms& terms = lifter.terms;
  switch (op) {
    case Operator::Div:
      return quotient(terms, left, right);
    case Operator::Lt:
      return is_less(terms, left, right);
    case Operator::Gt:
      return is_less(terms, right, left);
    case Operator::Leq:
      return negation(terms, is_less(terms, right, left));
    case Operator::Geq:
      return negation(terms, is_less(terms, left, right));
    case Operator::Mod:
      return stick(lifter, place, "the remainder of reals",
                   "it jumps, and encrypted reals are not exact; use integers or `fn(mpc)`");
    case Operator::Eq:
    case Operator::Neq:
      return stick(
          lifter, place, "equality of reals",
          "encrypted reals are not exact; compare the distance, as in `abs(x - y) < 0.01`, "
          "or use integers or `fn(mpc)`");
    case Operator::Add:
    case Operator::Sub:
    case Operator::Mul:
    case Operator::And:
    case Operator::Or:
    case Operator::Xor:
    case Operator::Land:
    case Operator::Lor:
    case Operator::Shl:
    case Operator::Shr:
    case Operator::Ashr:
    case Operator::Neg:
    case Operator::Not:
    case Operator::Invert:
      break;
  }
  return stick(lifter, place, "this operator of reals", "use integers or `fn(mpc)`");
}

auto real_extreme(Terms& terms, bool is_greatest, TermId a, TermId b) -> TermId {
  const TermId excess = terms.function(FunctionKind::Ramp, {difference(terms, a, b)});
  return is_greatest ? sum(terms, b, excess) : difference(terms, a, excess);
}

static auto kind_of(engine::Function function) -> std::optional<FunctionKind> {
  using engine::Function;
  switch (function) {
    case Function::Sqrt:
      return FunctionKind::Sqrt;
    case Function::Rsqrt:
      return FunctionKind::Rsqrt;
    case Function::Reciprocal:
      return FunctionKind::Reciprocal;
    case Function::Exp:
      return FunctionKind::Exp;
    case Function::Log:
      return FunctionKind::Log;
    case Function::Sigmoid:
      return FunctionKind::Sigmoid;
    case Function::Tanh:
      return FunctionKind::Tanh;
    case Function::Erf:
      return FunctionKind::Erf;
    case Function::Sin:
      return FunctionKind::Sin;
    case Function::Cos:
      return FunctionKind::Cos;
    case Function::Abs:
    case Function::Min:
    case Function::Max:
    case Function::Sort:
    case Function::SortBy:
    case Function::TopK:
      break;
  }
  return std::nullopt;
}

auto real_function(Lifter& lifter, const kernel::Apply& apply, const std::vector<Index>& at)
    -> std::optional<TermId> {
  using engine::Function;
  Terms& terms = lifter.terms;
  if (const std::optional<FunctionKind> kind = kind_of(apply.function)) {
    const TermId x = operand(lifter, apply.arguments[0], at);
    return terms.function(*kind, {x});
  }
  if (apply.function == Function::Abs) {
    const TermId x = operand(lifter, apply.arguments[0], at);
    const TermId positive = terms.function(FunctionKind::Ramp, {x});
    return difference(terms, sum(terms, positive, positive), x);
  }
  const bool is_greatest = apply.function == Function::Max;
  if ((is_greatest || apply.function == Function::Min) && apply.arguments.size() == 2) {
    const TermId a = operand(lifter, apply.arguments[0], at);
    return real_extreme(terms, is_greatest, a, operand(lifter, apply.arguments[1], at));
  }
  return std::nullopt;
}

}  // namespace tacet::lift
