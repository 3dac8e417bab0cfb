#include "compiler/device/array/checked.h"

#include "compiler/device/array/width.h"

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
  const auto taken = static_cast<uint64_t>(right) * static_cast<uint64_t>(quotient);
  return {static_cast<int64_t>(static_cast<uint64_t>(left) - taken), false};
}

/// Of what `u64` holds.
static auto apply_unsigned(FunctionKind kind, uint64_t left, uint64_t right)
    -> std::optional<uint64_t> {
  switch (kind) {
    case FunctionKind::Less:
      return left < right ? 1 : 0;
    case FunctionKind::Divide:
    case FunctionKind::FloorDivide:
      return right == 0 ? 0 : left / right;
    case FunctionKind::Remainder:
      return right == 0 ? left : left % right;
    case FunctionKind::Modulo:
      return right == 0 ? 0 : left % right;
    case FunctionKind::Equal:
    case FunctionKind::Select:
    case FunctionKind::BitAnd:
    case FunctionKind::BitOr:
    case FunctionKind::BitXor:
    case FunctionKind::Ramp:
    case FunctionKind::Step:
    case FunctionKind::Sqrt:
    case FunctionKind::Rsqrt:
    case FunctionKind::Reciprocal:
    case FunctionKind::Exp:
    case FunctionKind::Log:
    case FunctionKind::Sigmoid:
    case FunctionKind::Tanh:
    case FunctionKind::Erf:
    case FunctionKind::Sin:
    case FunctionKind::Cos:
    case FunctionKind::Promise:
    case FunctionKind::Masked:
      break;  // the same with a sign
  }
  return std::nullopt;
}

static auto apply(FunctionKind kind, int64_t left, int64_t right) -> Wrapped {
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
      return right == 0 ? Wrapped() : rest(left, right, floor_quotient(left, right).number);
    case FunctionKind::BitAnd:
      return {left & right, false};
    case FunctionKind::BitOr:
      return {left | right, false};
    case FunctionKind::BitXor:
      return {left ^ right, false};
    case FunctionKind::Ramp:
    case FunctionKind::Step:
    case FunctionKind::Sqrt:
    case FunctionKind::Rsqrt:
    case FunctionKind::Reciprocal:
    case FunctionKind::Exp:
    case FunctionKind::Log:
    case FunctionKind::Sigmoid:
    case FunctionKind::Tanh:
    case FunctionKind::Erf:
    case FunctionKind::Sin:
    case FunctionKind::Cos:
    case FunctionKind::Promise:
    case FunctionKind::Masked:
      break;  // of no integers
  }
  return {};
}

auto apply(FunctionKind kind, Width width, int64_t left, int64_t right) -> Wrapped {
  if (width.bits == 0) {
    return apply(kind, left, right);
  }
  const bool is_of_type = kind != FunctionKind::FloorDivide && kind != FunctionKind::Modulo;
  left = wrapped(width, left);
  right = is_of_type ? wrapped(width, right) : right;
  if (width == Width{64, false}) {
    const std::optional<uint64_t> result =
        apply_unsigned(kind, static_cast<uint64_t>(left), static_cast<uint64_t>(right));
    if (result) {
      return {static_cast<int64_t>(*result), false};
    }
  }
  return {apply(kind, left, right).number, false};
}

}  // namespace tacet::array
