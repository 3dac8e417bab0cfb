#include "compiler/array/checked.h"

namespace tacet::array {

static auto quotient(int64_t left, int64_t right) -> Wrapped {
  if (right == 0) {
    return {};
  }
  return right == -1 ? apply(Operator::Subtract, 0, left) : Wrapped{left / right, false};
}

static auto floor_quotient(int64_t left, int64_t right) -> Wrapped {
  Wrapped result = quotient(left, right);
  const bool is_inexact = right != 0 && right != -1 && left % right != 0;
  result.number -= is_inexact && (left < 0) != (right < 0) ? 1 : 0;
  return result;
}

/// left - right * quotient, which always fits.
static auto rest(int64_t left, int64_t right, int64_t quotient) -> Wrapped {
  const auto wrapped = static_cast<uint64_t>(right) * static_cast<uint64_t>(quotient);
  return {right == 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(left) - wrapped), false};
}

auto apply(FunctionKind kind, int64_t left, int64_t right) -> Wrapped {
  switch (kind) {
    case FunctionKind::Equal:
      return {left == right ? 1 : 0, false};
    case FunctionKind::Less:
      return {left < right ? 1 : 0, false};
    case FunctionKind::Select:
      return {left != 0 ? right : 0, false};
    case FunctionKind::Divide:
      return quotient(left, right);
    case FunctionKind::Remainder:
      return rest(left, right, quotient(left, right).number);
    case FunctionKind::FloorDivide:
      return floor_quotient(left, right);
    case FunctionKind::Modulo:
      return rest(left, right, floor_quotient(left, right).number);
    case FunctionKind::BitAnd:
      return {left & right, false};
    case FunctionKind::BitOr:
      return {left | right, false};
    case FunctionKind::BitXor:
      return {left ^ right, false};
  }
  return {};
}

}  // namespace tacet::array
