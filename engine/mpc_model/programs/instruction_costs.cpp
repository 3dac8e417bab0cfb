#include "engine/mpc_model/programs/instruction_costs.h"

#include <algorithm>

#include "engine/mpc_model/programs/dispatch_costs.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_model {

using engine::MpcFamily;

void Dispatch::by_family() {
  switch (engine::family_of(instruction_.op)) {
    case MpcFamily::Addition:
      return path({is_secret(0) && is_secret(1) ? "add_ss" : "add_sp"});
    case MpcFamily::Negation:
      return path({"neg_s"});
    case MpcFamily::Sum:
      return path({"sum_s"});
    case MpcFamily::Movement:
      return path({"move_s"});
    case MpcFamily::Multiplication:
      return mul();
    case MpcFamily::Division:
      return divide();
    case MpcFamily::Order:
      return compare();
    case MpcFamily::Equality:
      return test_equal();
    case MpcFamily::Logic:
      return logic();
    case MpcFamily::Shift:
      return shift();
    case MpcFamily::Select:
      return choose();
    case MpcFamily::Extremum:
      return extremum();
    case MpcFamily::Cast:
      return convert_type();
    case MpcFamily::Reduction:
      return reduce_by_tree();
    case MpcFamily::InnerProduct:
      return inner_product();
    case MpcFamily::FixedFunction:
      return function();
    case MpcFamily::Wrap:
      return wrap();
    case MpcFamily::SecretMovement:
      return move_secretly();
    case MpcFamily::Reveal:
      path({is_bool(type_) ? "open_bits" : "open"});
      return then_rest(cost_of_reveal(protocol_, type(0), instruction_.party.has_value()));
    case MpcFamily::DrawSecret:
      return draw_secretly();
    case MpcFamily::Copy:
    case MpcFamily::Draw:
    case MpcFamily::Literal:
    case MpcFamily::Control:
      return;
  }
}

auto cost_of(const ProtocolCosts& protocol, const engine::MpcInstruction& instruction,
             std::span<const Operand> operands, const MpcType& type, unsigned fixed_ring)
    -> InstructionCost {
  const bool is_public = std::none_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.type->is_secret();
  });
  if (is_public && instruction.op != MpcOpcode::Shuffle &&
      instruction.op != MpcOpcode::DrawSecret) {
    return {};
  }
  return Dispatch(protocol, instruction, operands, type, fixed_ring).run();
}

auto cost_of_reveal(const ProtocolCosts& protocol, const MpcType& type, bool is_to_one) -> Cost {
  const uint64_t n = size_of(type);
  if (is_bool(type)) {
    return is_to_one ? protocol.open_bits_to_one(1, n) : protocol.open_bits(1, n);
  }
  const unsigned width = width_of(type.element);
  return is_to_one ? protocol.open_to_one(n, width) : protocol.open(n, width);
}

auto cost_of_input(const ProtocolCosts& protocol, const MpcType& type, unsigned fixed_ring)
    -> Cost {
  if (!type.is_secret()) {
    return {};
  }
  const uint64_t n = size_of(type);
  return is_bool(type) ? protocol.share_bits(1, n)
                       : protocol.share(n, engine::ring_bits_of(type.element, fixed_ring));
}

}  // namespace tacet::mpc_model
