#include "compiler/mpc/lower/lowerer.h"
#include "engine/program/mpc/draw.h"

/// Random draws: one instruction for all lanes, with its place in it.
namespace tacet::mpc_lower {

using engine::DrawFunction;

static auto drawable(Lowerer& lowerer, const Value& n) -> Value;

auto value_of(Lowerer& lowerer, const kernel::Draw& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = lowerer.kernel.exprs[expr].type;
  std::vector<Value> operands;
  Lanes lanes;
  for (const std::vector<kernel::ExprId>* parts : {&node.words, &node.arguments}) {
    for (const kernel::ExprId part : *parts) {
      Value operand = value_of(lowerer, part);
      if (parts == &node.words) {
        operand = lowerer.stuck ? operand : cast(lowerer, operand, engine::kI64);
      } else if (node.function == DrawFunction::Int && !lowerer.stuck) {
        operand = drawable(lowerer, operand);
      }
      if (lowerer.stuck || is_secret_in(lowerer, operand)) {
        stick(lowerer, lowerer.kernel.exprs[expr].place, "a random draw that depends on a secret",
              "the kind and place of a draw are public: draw independently of secrets and compute "
              "with the result, as in `mu + rand_normal(0.0, 1.0)`");
        return zero(type);
      }
      lanes = united(lanes, lanes_of(operand));
      operands.push_back(std::move(operand));
    }
  }
  std::vector<MpcRegisterId> registers;
  for (const Value& operand : operands) {
    const bool is_same = lanes_of(operand).empty();
    registers.push_back(is_same ? scalar_register(lowerer, operand)
                                : in_register(lowerer, operand, lanes, {}));
  }
  Value drawn{.element = type.element, .extents = type.extents};
  drawn.lanes = lanes;
  Extents extents = lane_extents(lowerer, lanes);
  extents.insert(extents.end(), type.extents.begin(), type.extents.end());
  const engine::MpcDraw draw{
      .function = node.function, .n_words = node.words.size(), .bits = node.bits};
  drawn.reg =
      lowerer.emitter.emit(node.is_secret ? MpcOpcode::DrawSecret : MpcOpcode::Draw, type.element,
                           std::move(extents), std::move(registers), engine::numbers_of(draw));
  return drawn;
}

/// How many integers to draw from: 1 where nobody uses what is drawn, which must not fail.
static auto drawable(Lowerer& lowerer, const Value& n) -> Value {
  Value result = n;
  for (const std::optional<Value>& condition : {lowerer.guard, lowerer.mask}) {
    if (condition && !is_secret_in(lowerer, n)) {
      result = select(lowerer, *condition, result, literal_value(n.element, 1));
    }
  }
  return result;
}

}  // namespace tacet::mpc_lower
