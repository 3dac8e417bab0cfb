#include "compiler/mpc/lower/truncations.h"

#include <algorithm>

namespace tacet::mpc_lower {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;
using engine::MpcType;

auto is_fixed(const MpcProgram& program, MpcRegisterId id) -> bool {
  return program.registers[id].type.element.kind == ElementKind::Fxp;
}

auto has_secret_operand(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [&](MpcRegisterId id) { return program.registers[id].type.is_secret(); });
}

auto is_truncated_product(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  const bool is_product = instruction.op == MpcOpcode::Mul || instruction.op == MpcOpcode::Dot ||
                          instruction.op == MpcOpcode::Matmul;
  if (!is_product || !has_secret_operand(program, instruction)) {
    return false;
  }
  const ElementType element = program.registers[instruction.operands[0]].type.element;
  return element.kind == ElementKind::Fxp && element.fraction_bits > 0 &&
         program.registers[instruction.operands[1]].type.element == element;
}

auto is_truncating_cast(const MpcProgram& program, const MpcInstruction& instruction) -> bool {
  if (instruction.op != MpcOpcode::Cast || !has_secret_operand(program, instruction)) {
    return false;
  }
  const ElementType from = program.registers[instruction.operands[0]].type.element;
  const ElementType to = program.registers[instruction.result].type.element;
  return from.kind == ElementKind::Fxp && to.kind == ElementKind::Fxp &&
         to.fraction_bits < from.fraction_bits;
}

static auto extent_of(const MpcProgram& program, const MpcInstruction& instruction) -> int64_t {
  const MpcType& type = program.registers[instruction.operands[0]].type;
  return type.extents[static_cast<size_t>(instruction.numbers[0])];
}

auto truncated_size(const MpcProgram& program, const FixedRanges& ranges,
                    const MpcInstruction& instruction) -> std::optional<WideInteger> {
  if (is_truncated_product(program, instruction)) {
    const CellRange x = ranges.fitted(instruction.operands[0]);
    const CellRange y = ranges.fitted(instruction.operands[1]);
    const int64_t k = instruction.op == MpcOpcode::Mul
                          ? 1
                          : program.registers[instruction.operands[0]].type.extents.back();
    return sum_of_products(x, y, k);
  }
  if (is_truncating_cast(program, instruction)) {
    return size_of(ranges.fitted(instruction.operands[0]));
  }
  if (instruction.op == MpcOpcode::Product && is_fixed(program, instruction.operands[0]) &&
      has_secret_operand(program, instruction)) {
    return largest_of_chain(ranges.fitted(instruction.operands[0]), extent_of(program, instruction),
                            program.registers[instruction.result].type.element.fraction_bits);
  }
  return std::nullopt;
}

}  // namespace tacet::mpc_lower
