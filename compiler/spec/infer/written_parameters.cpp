#include "compiler/spec/infer/written_parameters.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;

auto WrittenParametersOf::compute(query::Context& context, const Key& item) -> Value {
  const hir::FunctionPtr function = hir::build_function(context, item);
  if (!function) {
    return {};
  }
  Value result(function->parameters.size(), false);
  // The place that a reference parameter is about is stored to once when the function begins.
  std::vector<uint32_t> parameter_of_place(function->places.size(), hir::kNoNode);
  for (uint32_t i = 0; i < function->blocks.size(); ++i) {
    for (hir::InstructionId id : function->blocks[hir::BlockId{i}].instructions) {
      const Instruction& instruction = function->instructions[id];
      if (instruction.opcode == Opcode::Written) {
        if (const uint32_t port = parameter_of_place[instruction.place.index];
            port != hir::kNoNode) {
          result[port] = true;
        }
        continue;
      }
      if (instruction.opcode != Opcode::Store) {
        continue;
      }
      const Instruction& stored = function->definition_of(function->operands_of(instruction)[0]);
      uint32_t& port = parameter_of_place[instruction.place.index];
      if (port == hir::kNoNode && stored.opcode == Opcode::Parameter &&
          function->places[instruction.place].kind == hir::PlaceKind::Referent) {
        port = stored.number;
      } else if (port != hir::kNoNode && stored.opcode != Opcode::Written) {
        result[port] = true;
      }
    }
  }
  return result;
}

auto writes_through(query::Context& context, const Instruction& written) -> bool {
  const WrittenParametersOf::Value& parameters = context.get<WrittenParametersOf>(written.item);
  return written.number >= parameters.size() || parameters[written.number];
}

}  // namespace tacet::infer
