#include "engine/program/he/facts.h"

#include <algorithm>

#include "engine/program/he/states.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

/// What a ciphertext of this state needs for an instruction.
void add_keys(const HeProgram& program, const HeWalk& walk, const HeState& operand,
              HeFacts& facts) {
  const HeStatement& instruction = walk.instruction();
  if (instruction.opcode == HeOpcode::Relinearise && operand.degree == 2) {
    facts.needs_relinearisation = true;
    facts.n_relinearisation_primes = std::max(facts.n_relinearisation_primes, operand.n_primes);
  }
  if (instruction.opcode == HeOpcode::Swap) {
    facts.needs_swap = true;
    facts.n_swap_primes = std::max(facts.n_swap_primes, operand.n_primes);
  }
  if (instruction.opcode == HeOpcode::Bootstrap) {
    const uint32_t before = facts.n_bootstrapped_primes;
    facts.n_bootstrapped_primes =
        before == 0 ? operand.n_primes : std::min(before, operand.n_primes);
    facts.bootstrapped_bounds.insert(program.registers[instruction.result.reg].bound);
  }
  if (instruction.opcode == HeOpcode::Rotate) {
    const uint32_t steps = rotation_steps(program, instruction, walk.variables());
    if (steps != 0) {
      uint32_t& n_primes = facts.rotations[steps];
      n_primes = std::max(n_primes, operand.n_primes);
    }
  }
}

}  // namespace

auto has_server_inputs(const HeProgram& program) -> bool {
  return std::any_of(program.arrays.begin(), program.arrays.end(),
                     [](const HeArray& array) { return array.owner == HeOwner::Server; });
}

auto facts_of(const HeProgram& program) -> HeFacts {
  HeFacts facts;
  facts.has_server_inputs = has_server_inputs(program);
  for (const HeRegister& reg : program.registers) {
    if (reg.kind == HeKind::Cipher && !reg.gathers.empty()) {
      facts.n_input_ciphers += n_elements(reg.dimensions);
    }
  }
  HeStates states(program);
  HeWalk walk(program);
  while (walk.next()) {
    const HeStatement& instruction = walk.instruction();
    facts.counts.add(instruction.opcode, operation_kind(program, instruction));
    const HeAccess& operand = instruction.operands[0];
    if (program.registers[operand.reg].kind == HeKind::Cipher) {
      add_keys(program, walk, states.of(operand, walk.variables()), facts);
    }
    (void)states.apply(instruction, walk.variables());
    facts.depth = std::max(facts.depth, states.of(instruction.result, walk.variables()).depth);
  }
  return facts;
}

}  // namespace tacet::engine
