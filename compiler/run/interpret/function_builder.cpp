#include "compiler/run/interpret/function_builder.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::interpret {

/// Slots of arguments are numbered from here until the size of the frame is known.
static constexpr uint32_t kOutgoing = 0x80000000;
static constexpr uint32_t kUnbound = 0xffffffff;
static constexpr uint32_t kMaxSlots = 0x40000000;

auto FunctionBuilder::allocate(uint64_t n_cells) -> Slot {
  if (n_cells > kMaxSlots - top_) {
    // The function is not run; the code only has to be written to its end.
    is_too_large_ = true;
    return {0};
  }
  Slot slot{top_};
  top_ += static_cast<uint32_t>(n_cells);
  n_slots_ = std::max(n_slots_, top_);
  return slot;
}

auto FunctionBuilder::outgoing(uint32_t k, uint32_t n_cells) -> Slot {
  n_outgoing_ = std::max(n_outgoing_, kHeaderCells + k + n_cells);
  return {kOutgoing + kHeaderCells + k};
}

void FunctionBuilder::emit_pass(uint32_t k, Slot source, uint32_t n_cells) {
  Slot target = outgoing(k, n_cells);
  if (!is_detached_) {
    emit_move(target, source, n_cells);
  } else if (n_cells > 0) {
    emit(Opcode::Pass, {k, source.index, n_cells});
  }
}

void FunctionBuilder::emit_take(Slot target, uint32_t k, uint32_t n_cells) {
  Slot source = outgoing(k, n_cells);
  if (!is_detached_) {
    emit_move(target, source, n_cells);
  } else if (n_cells > 0) {
    emit(Opcode::Take, {target.index, k, n_cells});
  }
}

void FunctionBuilder::emit(Opcode opcode, ElementType type,
                           std::initializer_list<uint32_t> operands) {
  Instruction instruction{opcode, type, {}};
  std::copy(operands.begin(), operands.end(), instruction.operands);
  program_.instructions.push_back(instruction);
  program_.places.push_back(place_);
}

void FunctionBuilder::emit_constant(Slot target, uint64_t value) {
  emit(Opcode::Const,
       {target.index, static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)});
}

void FunctionBuilder::emit_move(Slot target, Slot source, uint64_t n_cells) {
  if (n_cells > 0 && target != source) {
    emit(Opcode::Move, {target.index, source.index, static_cast<uint32_t>(n_cells)});
  }
}

auto FunctionBuilder::new_label() -> CodeLabel {
  labels_.push_back(kUnbound);
  return {static_cast<uint32_t>(labels_.size() - 1)};
}

void FunctionBuilder::bind(CodeLabel label) {
  labels_[label.index] = static_cast<uint32_t>(program_.instructions.size());
}

void FunctionBuilder::emit_jump(Opcode opcode, CodeLabel label) {
  jumps_.push_back({static_cast<uint32_t>(program_.instructions.size()), 0, label.index});
  emit(opcode, {0});
}

void FunctionBuilder::emit_jump(Opcode opcode, Slot slot, CodeLabel label) {
  jumps_.push_back({static_cast<uint32_t>(program_.instructions.size()), 1, label.index});
  emit(opcode, {slot.index, 0});
}

void FunctionBuilder::finish(uint32_t first_memory, uint32_t n_memories) {
  for (const Patch& jump : jumps_) {
    TACET_CHECK(labels_[jump.label] != kUnbound, "a jump to nowhere");
    program_.instructions[jump.instruction].operands[jump.operand] = labels_[jump.label];
  }
  Function& function = program_.functions[function_];
  // Results are left where the frame begins, and a frame holds its own parameters.
  n_slots_ = std::max({n_slots_, function.n_result_cells, function.n_parameter_cells});
  function.end = static_cast<uint32_t>(program_.instructions.size());
  function.n_slots = n_slots_;
  function.n_outgoing_cells = n_outgoing_;
  function.first_memory = first_memory;
  function.n_memories = n_memories;
  for (uint32_t i = function.entry; i < function.end; ++i) {
    Instruction& instruction = program_.instructions[i];
    if (instruction.opcode != Opcode::Move) {
      continue;  // arguments and results are moved, nothing else touches them
    }
    for (uint32_t operand = 0; operand < 2; ++operand) {
      uint32_t& slot = instruction.operands[operand];
      slot = slot >= kOutgoing ? slot - kOutgoing + n_slots_ : slot;
    }
  }
}

}  // namespace tacet::interpret
