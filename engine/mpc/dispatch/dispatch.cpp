#include "engine/mpc/dispatch/dispatch.h"

#include <algorithm>

#include "engine/program/mpc/families.h"

namespace tacet::mpc {

using engine::MpcFamily;
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

static auto by_family(Context& context, Operation operation) -> Task<Value> {
  switch (engine::family_of(operation.instruction->op)) {
    case MpcFamily::Addition:
      return add(context, std::move(operation));
    case MpcFamily::Negation:
      return negate(context, std::move(operation));
    case MpcFamily::Multiplication:
      return mul(context, std::move(operation));
    case MpcFamily::Division:
      return divide(context, std::move(operation));
    case MpcFamily::Order:
      return compare(context, std::move(operation));
    case MpcFamily::Equality:
      return test_equal(context, std::move(operation));
    case MpcFamily::Logic:
      return logic(context, std::move(operation));
    case MpcFamily::Shift:
      return shift(context, std::move(operation));
    case MpcFamily::Select:
      return choose(context, std::move(operation));
    case MpcFamily::Extremum:
      return extremum(context, std::move(operation));
    case MpcFamily::Cast:
      return convert_type(context, std::move(operation));
    case MpcFamily::Wrap:
      return wrap(context, std::move(operation));
    case MpcFamily::FixedFunction:
      return function(context, std::move(operation));
    case MpcFamily::Sum:
      return sum(context, std::move(operation));
    case MpcFamily::Reduction:
      return reduce_by_tree(context, std::move(operation));
    case MpcFamily::InnerProduct:
      return inner_product(context, std::move(operation));
    case MpcFamily::SecretMovement:
      return move_secretly(context, std::move(operation));
    case MpcFamily::DrawSecret:
      return draw_secretly(context, std::move(operation));
    case MpcFamily::Reveal:
      return reveal(context, std::move(operation));
    case MpcFamily::Control:
    case MpcFamily::Literal:
    case MpcFamily::Copy:
    case MpcFamily::Draw:
    case MpcFamily::Movement:
      break;
  }
  TACET_CHECK(false, "an instruction without secrets, or without messages, is no kernel");
  return reveal(context, std::move(operation));
}

/// What a kernel gave, as the type that the program says.
static auto completed(Context& context, Value result, const engine::MpcType& type) -> Value {
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
  return result;
}

static auto is_public(const Operation& operation) -> bool {
  const MpcOpcode op = operation.instruction->op;
  return op != MpcOpcode::Shuffle && op != MpcOpcode::DrawSecret &&
         std::none_of(operation.operands.begin(), operation.operands.end(),
                      [](const Value& operand) { return operand.is_secret(); });
}

auto is_local(const Operation& operation) -> bool {
  const MpcFamily family = engine::family_of(operation.instruction->op);
  return family == MpcFamily::Copy || family == MpcFamily::Movement || is_public(operation);
}

auto dispatch_locally(Context& context, Operation operation) -> Value {
  const engine::MpcType type = operation.type;
  Value result;
  if (is_public(operation)) {
    result = in_the_clear(context, operation);
  } else if (operation.instruction->op == MpcOpcode::Copy) {
    result = operation.operands[0];
  } else {
    result = move(context, std::move(operation));
  }
  return completed(context, std::move(result), type);
}

auto dispatch(Context& context, Operation operation) -> Task<Value> {
  if (is_local(operation)) {
    co_return dispatch_locally(context, std::move(operation));
  }
  const engine::MpcType type = operation.type;
  Value result = co_await by_family(context, std::move(operation));
  co_return completed(context, std::move(result), type);
}

}  // namespace tacet::mpc
