#include "compiler/mpc/lower/bound_sorts.h"

namespace tacet::mpc_lower {

using engine::MpcInstruction;
using engine::MpcOpcode;

/// The bits of a number that is not negative, one at least.
static auto n_bits_of(WideInteger number) -> unsigned {
  unsigned n = 1;
  while (number >> n != 0) {
    ++n;
  }
  return n;
}

void bound_sorts(engine::MpcProgram& program, const FixedRanges& ranges) {
  for (MpcInstruction& instruction : program.code) {
    if (instruction.op != MpcOpcode::Sort && instruction.op != MpcOpcode::SortBy) {
      continue;
    }
    const engine::MpcType& type = program.registers[instruction.operands[0]].type;
    if (!type.is_secret() || type.element == engine::kBool) {
      continue;
    }
    const CellRange range = ranges.fitted(instruction.operands[0]);
    const unsigned n_bits = n_bits_of(range.upper - range.lower);
    if (n_bits < static_cast<unsigned>(engine::bit_width(type.element.kind))) {
      instruction.numbers = {static_cast<int64_t>(range.lower), n_bits};
    }
  }
}

}  // namespace tacet::mpc_lower
