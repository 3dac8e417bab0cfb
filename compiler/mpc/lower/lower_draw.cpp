#include "compiler/mpc/lower/lowerer.h"
#include "engine/program/mpc/draw.h"

/// Random draws: one instruction for all lanes, with its place in it.
namespace tacet::mpc_lower {

using engine::DrawFunction;

auto Lowerer::value(const kernel::Draw& node, kernel::ExprId expr) -> Value {
  const kernel::Type& type = kernel_.exprs[expr].type;
  std::vector<Value> operands;
  Lanes lanes;
  for (const std::vector<kernel::ExprId>* parts : {&node.words, &node.arguments}) {
    for (const kernel::ExprId part : *parts) {
      Value operand = value(part);
      if (parts == &node.words) {
        operand = stuck_ ? operand : cast(operand, engine::kI64);
      } else if (node.function == DrawFunction::Int && !stuck_) {
        operand = drawable(operand);
      }
      if (stuck_ || is_secret(operand)) {
        stick(kernel_.exprs[expr].place, "a random draw that depends on a secret",
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
    registers.push_back(is_same ? scalar_register(operand) : in_register(operand, lanes, {}));
  }
  Value drawn{.element = type.element, .extents = type.extents};
  drawn.lanes = lanes;
  Extents extents = lane_extents(lanes);
  extents.insert(extents.end(), type.extents.begin(), type.extents.end());
  const engine::MpcDraw draw{
      .function = node.function, .n_words = node.words.size(), .bits = node.bits};
  drawn.reg = emitter_.emit(node.is_secret ? MpcOpcode::DrawSecret : MpcOpcode::Draw, type.element,
                            std::move(extents), std::move(registers), engine::numbers_of(draw));
  return drawn;
}

/// How many integers to draw from: 1 where nobody uses what is drawn, which must not fail.
auto Lowerer::drawable(const Value& n) -> Value {
  Value result = n;
  for (const std::optional<Value>& condition : {guard_, mask_}) {
    if (condition && !is_secret(n)) {
      result = select(*condition, result, literal_value(n.element, 1));
    }
  }
  return result;
}

}  // namespace tacet::mpc_lower
