#include "compiler/he/lower/slot_sizes.h"

#include <algorithm>
#include <cmath>

#include "engine/program/he/gather.h"
#include "engine/program/he/walk.h"

namespace tacet::he_lower {

using engine::HeArray;
using engine::HeKind;
using engine::HeOpcode;
using engine::HeRegister;

/// Numbers of vectors that are gathered.
static constexpr size_t kMostSlotNumbers = size_t{1} << 27;

/// The largest numbers that each input may have.
static auto largest_inputs(const engine::HeProgram& program) -> engine::HeValues {
  engine::HeValues values;
  for (const HeArray& array : program.arrays) {
    if (array.owner != engine::HeOwner::Constant) {
      values[array.name].assign(engine::n_elements(array.extents), array.bound);
    }
  }
  return values;
}

/// Of what a register is gathered from.
static auto part_of(const engine::HeProgram& program, const HeRegister& reg,
                    const InputParts& parts) -> double {
  double most = 0;
  for (const engine::HeGather& gather : reg.gathers) {
    const auto known = gather.array == engine::kNoArray
                           ? parts.end()
                           : parts.find(program.arrays[gather.array].name);
    most = std::max(most, known == parts.end() ? 1 : known->second);
  }
  return most;
}

SlotSizes::SlotSizes(const engine::HeProgram& program, const InputParts& parts)
    : program_(program), inputs_(largest_inputs(program)) {
  size_t n_gathered = 0;
  for (const HeRegister& reg : program.registers) {
    const size_t n = engine::n_elements(reg.dimensions);
    first_.push_back(static_cast<uint32_t>(register_of_.size()));
    register_of_.resize(register_of_.size() + n, static_cast<uint32_t>(first_.size() - 1));
    n_gathered += reg.gathers.empty() ? 0 : n;
  }
  vectors_.resize(register_of_.size());
  parts_.resize(register_of_.size(), 1);
  is_coarse_ = n_gathered * program.n_slots() > kMostSlotNumbers || program.n_rows != 1;
  for (uint32_t reg = 0; reg < program.registers.size(); ++reg) {
    if (!program.registers[reg].gathers.empty()) {
      gather(reg);
      std::fill_n(parts_.begin() + first_[reg],
                  engine::n_elements(program.registers[reg].dimensions),
                  part_of(program, program.registers[reg], parts));
    }
  }
}

void SlotSizes::gather(uint32_t reg) {
  const HeRegister& declared = program_.registers[reg];
  const auto first = vectors_.begin() + first_[reg];
  if (is_coarse_) {
    std::fill_n(first, engine::n_elements(declared.dimensions),
                SlotVector(engine::gather_bound(program_, declared)));
    return;
  }
  // Slots whose content does not matter may hold anything that their neighbours may.
  std::vector<HeRegister> terms;
  for (const engine::HeGather& gather : declared.gathers) {
    HeRegister term = declared;
    term.gathers = {gather};
    term.gathers[0].outside = gather.outside.value_or(engine::gather_bound(program_, term));
    terms.push_back(std::move(term));
  }
  engine::HeCounter counter(declared.dimensions);
  auto vector = first;
  do {
    std::vector<float> sizes(program_.n_slots());
    for (const HeRegister& term : terms) {
      const engine::HeSlots slots = engine::gather_slots(program_, term, counter.values(), inputs_);
      std::transform(
          slots.begin(), slots.end(), sizes.begin(), sizes.begin(),
          [](double number, float size) { return size + static_cast<float>(std::abs(number)); });
    }
    *vector++ = SlotVector(std::move(sizes));
  } while (counter.next());
}

auto SlotSizes::vector_at(const engine::HeAccess& access,
                          const std::vector<int64_t>& variables) const -> uint32_t {
  return first_[access.reg] +
         static_cast<uint32_t>(*engine::flat_index(program_, access, variables));
}

auto SlotSizes::is_cipher(uint32_t vector) const -> bool {
  return program_.registers[register_of_[vector]].kind == HeKind::Cipher;
}

auto SlotSizes::step(const engine::HeStatement& instruction, uint32_t statement,
                     const std::vector<int64_t>& variables) -> double {
  const auto& operands = instruction.operands;
  uint32_t a = vector_at(operands[0], variables);
  uint32_t b = operands.size() > 1 ? vector_at(operands[1], variables) : CipherStep::kNone;
  made_ = vector_at(instruction.result, variables);
  CipherStep step{.opcode = instruction.opcode,
                  .statement = statement,
                  .made_in = instruction.result.reg,
                  .made = made_};
  SlotVector made = vectors_[a];
  double part = parts_[a];
  if (instruction.opcode == HeOpcode::Add || instruction.opcode == HeOpcode::Sub) {
    made = made.plus(vectors_[b]);
    part = std::max(part, parts_[b]);
  } else if (instruction.opcode == HeOpcode::Mul) {
    made = made.times(vectors_[b]);
    part *= parts_[b];
  } else if (instruction.opcode == HeOpcode::Rotate) {
    step.steps = engine::rotation_steps(program_, instruction, variables);
    made = made.rotated(step.steps);
  }
  if (is_cipher(made_)) {
    if (!is_cipher(a)) {
      std::swap(a, b);
    }
    const bool is_plain = b != CipherStep::kNone && !is_cipher(b);
    step.a = a;
    step.b = is_plain ? CipherStep::kNone : b;
    if (is_plain && instruction.opcode == HeOpcode::Mul) {
      step.factor = parts_[b] == 1 ? vectors_[b] : vectors_[b].times(SlotVector(parts_[b]));
    }
    steps_.push_back(std::move(step));
    part = 1;
  }
  parts_[made_] = part;
  vectors_[made_] = std::move(made);
  return vectors_[made_].most();
}

void SlotSizes::limit(double most) {
  if (vectors_[made_].most() > most) {
    vectors_[made_] = vectors_[made_].at_most(most);
  }
}

}  // namespace tacet::he_lower
