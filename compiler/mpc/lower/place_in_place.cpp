#include <algorithm>

#include "compiler/mpc/lower/improve.h"

namespace tacet::mpc_lower {

using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;

namespace {

struct Uses {
  size_t n_reads = 0;
  size_t n_writes = 0;
  size_t write = 0;  ///< the last one
};

auto uses_of(const MpcProgram& program) -> std::vector<Uses> {
  std::vector<Uses> uses(program.registers.size());
  for (size_t i = 0; i < program.code.size(); ++i) {
    const MpcInstruction& instruction = program.code[i];
    for (const MpcRegisterId id : instruction.operands) {
      ++uses[id.index].n_reads;
    }
    if (instruction.result.has_value()) {
      ++uses[instruction.result.index].n_writes;
      uses[instruction.result.index].write = i;
    }
  }
  for (const engine::MpcOutput& output : program.outputs) {
    ++uses[output.reg.index].n_reads;
  }
  return uses;
}

auto touches(const MpcInstruction& instruction, MpcRegisterId reg) -> bool {
  return engine::is_control(instruction.op) || instruction.result == reg ||
         std::find(instruction.operands.begin(), instruction.operands.end(), reg) !=
             instruction.operands.end();
}

}  // namespace

void place_in_place(MpcProgram& program) {
  const std::vector<Uses> uses = uses_of(program);
  std::vector<MpcInstruction> kept;
  std::vector<size_t> place_of(program.code.size());  ///< in `kept`
  for (size_t i = 0; i < program.code.size(); ++i) {
    MpcInstruction& copy = program.code[i];
    if (copy.op == MpcOpcode::Copy) {
      const Uses& from = uses[copy.operands[0].index];
      const bool is_only_one = from.n_reads == 1 && from.n_writes == 1 && from.write < i;
      const MpcRegisterId to = copy.result;
      if (is_only_one && kept[place_of[from.write]].op == MpcOpcode::Place &&
          program.registers[to].type == program.registers[copy.operands[0]].type &&
          std::none_of(kept.begin() + static_cast<std::ptrdiff_t>(place_of[from.write]) + 1,
                       kept.end(), [&](const auto& each) { return touches(each, to); })) {
        kept[place_of[from.write]].result = to;
        continue;
      }
    }
    place_of[i] = kept.size();
    kept.push_back(std::move(copy));
  }
  program.code = std::move(kept);
}

}  // namespace tacet::mpc_lower
