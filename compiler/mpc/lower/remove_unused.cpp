#include <algorithm>
#include <set>
#include <string>

#include "compiler/mpc/lower/improve.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_lower {

using engine::MpcInstruction;
using engine::MpcOpcode;
using engine::MpcProgram;
using engine::MpcRegisterId;

namespace {

/// May it fail for some public operand? Literals that cannot are known.
auto may_fail(const MpcProgram& program, const std::vector<const MpcInstruction*>& definitions,
              const MpcInstruction& instruction) -> bool {
  if (instruction.op == MpcOpcode::Place) {
    return true;
  }
  const engine::MpcFamily family = engine::family_of(instruction.op);
  const bool draws = family == engine::MpcFamily::Draw || family == engine::MpcFamily::DrawSecret;
  const bool is_division = family == engine::MpcFamily::Division;
  if (draws ? instruction.numbers[0] != static_cast<int64_t>(engine::DrawFunction::Int)
            : !is_division && family != engine::MpcFamily::Shift) {
    return false;
  }
  const MpcRegisterId right = draws ? instruction.operands.back() : instruction.operands[1];
  if (program.registers[right].type.is_secret()) {
    return false;
  }
  const MpcInstruction* definition = definitions[right.index];
  if (definition == nullptr || definition->op != MpcOpcode::Constant) {
    return true;
  }

  const auto width =
      static_cast<int64_t>(engine::bit_width(program.registers[right].type.element.kind));
  return std::any_of(definition->numbers.begin(), definition->numbers.end(), [&](int64_t number) {
    return draws ? number < 1 : is_division ? number == 0 : number < 0 || number >= width;
  });
}

/// A step may be 0 unless it is left out or known.
auto may_fail_by_step(const std::vector<const MpcInstruction*>& definitions,
                      const MpcInstruction& loop) -> bool {
  const bool has_step = loop.op == MpcOpcode::For && !loop.numbers.empty() && loop.numbers[0] != 0;
  if (!has_step) {
    return false;
  }
  const MpcInstruction* step = definitions[loop.operands[2].index];
  return step == nullptr || step->op != MpcOpcode::Constant || step->numbers[0] < 1;
}

/// Braces with nothing between them are removed, as long as there are any. Loops whose results are
/// in `failing` stay, because their step may be a fault.
void remove_empty_blocks(std::vector<MpcInstruction>& code,
                         const std::set<MpcRegisterId>& failing) {
  const auto begins = [&](const MpcInstruction& begin) {
    return begin.op == MpcOpcode::If ||
           (begin.op == MpcOpcode::For && !failing.contains(begin.result));
  };
  std::vector<MpcInstruction> kept;
  for (MpcInstruction& instruction : code) {
    kept.push_back(std::move(instruction));
    if (kept.back().op != MpcOpcode::End) {
      continue;
    }
    const size_t n = kept.size();
    if (n >= 2 && kept[n - 2].op == MpcOpcode::Else) {
      kept.erase(kept.end() - 2);
    }
    if (kept.size() >= 2 && begins(kept[kept.size() - 2])) {
      kept.resize(kept.size() - 2);
    }
  }
  code = std::move(kept);
}

/// The instructions that write each register.
auto writers_of(const MpcProgram& program) -> std::vector<std::vector<size_t>> {
  std::vector<std::vector<size_t>> writers(program.registers.size());
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].result.has_value()) {
      writers[program.code[i].result.index].push_back(i);
    }
  }
  return writers;
}

/// The instruction that alone writes each register; null where there is no such instruction.
auto definitions_of(const MpcProgram& program, const std::vector<std::vector<size_t>>& writers)
    -> std::vector<const MpcInstruction*> {
  std::vector<const MpcInstruction*> definitions(writers.size(), nullptr);
  for (size_t i = 0; i < writers.size(); ++i) {
    if (writers[i].size() == 1) {
      definitions[i] = &program.code[writers[i].front()];
    }
  }
  return definitions;
}

/// Which instructions are needed: control, what may fail, and what these or the outputs read.
auto needed_instructions(const MpcProgram& program, const std::vector<std::vector<size_t>>& writers,
                         const std::vector<const MpcInstruction*>& definitions)
    -> std::vector<uint8_t> {
  std::vector<uint8_t> is_needed(program.code.size(), 0);
  std::vector<uint8_t> is_read(program.registers.size(), 0);
  std::vector<MpcRegisterId> waiting;
  const auto read = [&](MpcRegisterId id) {
    if (is_read[id.index] == 0) {
      is_read[id.index] = 1;
      waiting.push_back(id);
    }
  };
  const auto need = [&](size_t i) {
    if (is_needed[i] == 0) {
      is_needed[i] = 1;
      std::for_each(program.code[i].operands.begin(), program.code[i].operands.end(), read);
    }
  };
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (engine::is_control(program.code[i].op) || may_fail(program, definitions, program.code[i])) {
      need(i);
    }
  }
  for (const engine::MpcOutput& output : program.outputs) {
    read(output.reg);
  }
  while (!waiting.empty()) {
    const MpcRegisterId id = waiting.back();
    waiting.pop_back();
    std::for_each(writers[id.index].begin(), writers[id.index].end(), need);
  }
  return is_needed;
}

void remove_instructions(MpcProgram& program) {
  const std::vector<std::vector<size_t>> writers = writers_of(program);
  const std::vector<const MpcInstruction*> definitions = definitions_of(program, writers);
  const std::vector<uint8_t> is_needed = needed_instructions(program, writers, definitions);
  std::set<MpcRegisterId> failing;
  for (const MpcInstruction& instruction : program.code) {
    if (may_fail_by_step(definitions, instruction)) {
      failing.insert(instruction.result);
    }
  }
  std::vector<MpcInstruction> kept;
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (is_needed[i] != 0) {
      kept.push_back(std::move(program.code[i]));
    }
  }
  remove_empty_blocks(kept, failing);
  program.code = std::move(kept);
}

/// Which registers are inputs, or in instructions.
auto used_registers(const MpcProgram& program) -> std::vector<uint8_t> {
  std::vector<uint8_t> is_used(program.registers.size(), 0);
  for (const engine::MpcInput& input : program.inputs) {
    is_used[input.reg.index] = 1;
  }
  for (const MpcInstruction& instruction : program.code) {
    for (const MpcRegisterId id : instruction.operands) {
      is_used[id.index] = 1;
    }
    if (instruction.result.has_value()) {
      is_used[instruction.result.index] = 1;
    }
  }
  return is_used;
}

/// Removes registers that are not used; the others are numbered anew. Inputs keep their names;
/// others are named after what they hold, with their number. Each register's new id.
auto renumber_registers(MpcProgram& program) -> std::vector<MpcRegisterId> {
  const std::vector<uint8_t> is_used = used_registers(program);
  std::set<std::string> names;
  for (const engine::MpcInput& input : program.inputs) {
    names.insert(program.registers[input.reg].name);
  }
  const size_t n_inputs = program.inputs.size();
  Store<MpcRegisterId, engine::MpcRegister> registers;
  std::vector<MpcRegisterId> renamed(is_used.size());
  for (uint32_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i] == 0) {
      continue;
    }
    engine::MpcRegister reg = program.registers[MpcRegisterId{i}];
    if (registers.size() >= n_inputs) {
      const std::string base = reg.name.substr(0, reg.name.rfind('_'));
      reg.name = base + "_" + std::to_string(registers.size());
      while (names.contains(reg.name)) {
        reg.name += "_";
      }
    }
    renamed[i] = registers.add(std::move(reg));
  }
  program.registers = std::move(registers);
  return renamed;
}

}  // namespace

void remove_unused(MpcProgram& program) {
  remove_instructions(program);
  const std::vector<MpcRegisterId> renamed = renumber_registers(program);
  const auto rename = [&](MpcRegisterId& id) { id = renamed[id.index]; };
  for (engine::MpcInput& input : program.inputs) {
    rename(input.reg);
  }
  for (MpcInstruction& instruction : program.code) {
    std::for_each(instruction.operands.begin(), instruction.operands.end(), rename);
    if (instruction.result.has_value()) {
      rename(instruction.result);
    }
  }
  for (engine::MpcOutput& output : program.outputs) {
    rename(output.reg);
  }
}

}  // namespace tacet::mpc_lower
