#include "engine/mpc/dispatch/dispatch.h"

#include <algorithm>

#include "engine/program/mpc_scheme.h"

namespace tacet::mpc {

using engine::MpcOpcode;

/// All operands are public: every party computes it.
static auto in_the_clear(Context& context, const Operation& operation) -> Value {
  std::vector<engine::MpcClear> clear;
  for (const Value& operand : operation.operands) {
    clear.push_back(
        {{engine::MpcVisibility::Public, operand.element(), operand.extents()}, *operand.cells});
  }
  std::vector<const engine::MpcClear*> operands;
  for (const engine::MpcClear& value : clear) {
    operands.push_back(&value);
  }
  engine::MpcClear result{
      {engine::MpcVisibility::Public, operation.type.element, operation.type.extents}, {}};
  const engine::MpcRunFault fault =
      engine::compute(*operation.instruction, operands, result, context.place);
  if (context.fault == engine::MpcRunFault::None) {
    context.fault = fault;
  }
  return public_value(result.type, std::move(result.cells));
}

/// A public value where a secret one is declared.
static auto hidden(Context& context, const Value& value) -> Value {
  Value result = value.is_bool()
                     ? secret_value(as_bits(context, value))
                     : secret_value(as_share(context, value, context.ring_of(value.element())));
  result.type = {engine::MpcVisibility::Secret, value.type.element, value.type.extents};
  return result;
}

static auto by_operator(Context& context, Operation operation) -> Task<Value> {
  switch (operation.instruction->op) {
    case MpcOpcode::Add:
    case MpcOpcode::Sub:
      return add(context, std::move(operation));
    case MpcOpcode::Neg:
      return negate(context, std::move(operation));
    case MpcOpcode::Mul:
    case MpcOpcode::MulWide:
      return mul(context, std::move(operation));
    case MpcOpcode::Div:
    case MpcOpcode::Mod:
      return divide(context, std::move(operation));
    case MpcOpcode::Lt:
    case MpcOpcode::Leq:
    case MpcOpcode::Gt:
    case MpcOpcode::Geq:
      return compare(context, std::move(operation));
    case MpcOpcode::Eq:
    case MpcOpcode::Neq:
      return test_equal(context, std::move(operation));
    case MpcOpcode::And:
    case MpcOpcode::Or:
    case MpcOpcode::Xor:
    case MpcOpcode::Land:
    case MpcOpcode::Lor:
    case MpcOpcode::Not:
    case MpcOpcode::Invert:
      return logic(context, std::move(operation));
    case MpcOpcode::Shl:
    case MpcOpcode::Shr:
    case MpcOpcode::Ashr:
      return shift(context, std::move(operation));
    case MpcOpcode::Select:
      return choose(context, std::move(operation));
    case MpcOpcode::Min:
    case MpcOpcode::Max:
    case MpcOpcode::Abs:
      return extremum(context, std::move(operation));
    case MpcOpcode::Cast:
      return convert_type(context, std::move(operation));
    case MpcOpcode::Sum:
      return sum(context, std::move(operation));
    case MpcOpcode::Product:
    case MpcOpcode::ReduceMin:
    case MpcOpcode::ReduceMax:
    case MpcOpcode::ReduceAnd:
    case MpcOpcode::ReduceOr:
    case MpcOpcode::ReduceXor:
      return reduce_by_tree(context, std::move(operation));
    case MpcOpcode::Dot:
    case MpcOpcode::Matmul:
      return inner_product(context, std::move(operation));
    case MpcOpcode::Reciprocal:
    case MpcOpcode::Sqrt:
    case MpcOpcode::Rsqrt:
    case MpcOpcode::Exp:
    case MpcOpcode::Log:
    case MpcOpcode::Sigmoid:
    case MpcOpcode::Tanh:
      return function(context, std::move(operation));
    case MpcOpcode::GatherSecret:
    case MpcOpcode::ScatterSecret:
    case MpcOpcode::Shuffle:
    case MpcOpcode::Sort:
    case MpcOpcode::SortBy:
    case MpcOpcode::TopK:
    case MpcOpcode::Permute:
      return move_secretly(context, std::move(operation));
    case MpcOpcode::DrawSecret:
      return draw_secretly(context, std::move(operation));
    default:
      return reveal(context, std::move(operation));
  }
}

/// Does it move elements to places that everybody knows?
static auto is_movement(MpcOpcode op) -> bool {
  return op == MpcOpcode::View || op == MpcOpcode::Pick || op == MpcOpcode::Place ||
         op == MpcOpcode::PlaceAdd || op == MpcOpcode::Concat;
}

auto dispatch(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const engine::MpcType type = operation.type;
  const bool is_public = std::none_of(operation.operands.begin(), operation.operands.end(),
                                      [](const Value& operand) { return operand.is_secret(); });
  Value result;
  if (is_public && op != MpcOpcode::Shuffle && op != MpcOpcode::DrawSecret) {
    result = in_the_clear(context, operation);
  } else if (op == MpcOpcode::Copy) {
    result = operation.operands[0];
  } else if (is_movement(op)) {
    result = move(context, std::move(operation));
  } else {
    result = co_await by_operator(context, std::move(operation));
  }
  if (type.is_secret() && !result.is_secret()) {
    result = hidden(context, result);
  }
  // The last part of the type: shapes are the program's.
  if (!result.type.extents) {
    result.type.extents = type.extents;
  }
  TACET_CHECK(result.type.is_complete() && result.type.agrees_with(type) &&
                  result.size() == static_cast<size_t>(engine::n_elements(type)),
              "a kernel gives another type than its scheme says");
  co_return result;
}

}  // namespace tacet::mpc
