#pragma once

#include <cstdint>
#include <vector>

#include "compiler/run/interpret/program.h"

namespace tacet::interpret {

/// Where a value stands: the first of its cells in the frame.
struct Slot {
  uint32_t index = 0;

  friend auto operator==(Slot, Slot) -> bool = default;
};

/// A place in the code that jumps name before it is known.
struct CodeLabel {
  uint32_t index = 0;
};

/// Writes the code of one function into a program. Slots are handed out like a stack: what was
/// allocated after a mark is free again after the release to it.
class FunctionBuilder {
 public:
  FunctionBuilder(Program& program, uint32_t function) : program_(program), function_(function) {}

  /// What the instructions emitted from now on are about.
  void set_place(FileRange place) { place_ = place; }
  [[nodiscard]] auto place() const -> FileRange { return place_; }

  auto allocate(uint64_t n_cells) -> Slot;
  [[nodiscard]] auto mark() const -> uint32_t { return top_; }
  void release(uint32_t mark) { top_ = mark; }
  /// Starts a region of slots that no other code of the function uses.
  void start_region() { top_ = n_slots_; }
  /// True if the frame grew beyond what 32-bit slots can name.
  [[nodiscard]] auto is_too_large() const -> bool { return is_too_large_; }

  /// Argument or result cell `k` of the next call.
  auto outgoing(uint32_t k, uint32_t n_cells) -> Slot;

  /// Moves cells to argument cell `k` of the next call, or from result cell `k` of the last one.
  void emit_pass(uint32_t k, Slot source, uint32_t n_cells);
  void emit_take(Slot target, uint32_t k, uint32_t n_cells);
  /// From now on the code may run while other frames stand above its own.
  void detach() { is_detached_ = true; }

  void emit(Opcode opcode, ElementType type, std::initializer_list<uint32_t> operands);
  void emit(Opcode opcode, std::initializer_list<uint32_t> operands) { emit(opcode, {}, operands); }
  void emit_constant(Slot target, uint64_t value);
  void emit_move(Slot target, Slot source, uint64_t n_cells);

  auto new_label() -> CodeLabel;
  void bind(CodeLabel label);
  /// Emits a jump; `operand` is where the opcode holds its target.
  void emit_jump(Opcode opcode, CodeLabel label);
  void emit_jump(Opcode opcode, Slot slot, CodeLabel label);

  /// Fills in what was not known before the end: targets, slots of arguments, the frame's size.
  void finish(uint32_t first_memory, uint32_t n_memories);

 private:
  struct Patch {
    uint32_t instruction = 0;
    uint32_t operand = 0;
    uint32_t label = 0;
  };

  Program& program_;
  uint32_t function_;
  FileRange place_;
  uint32_t top_ = 0;
  uint32_t n_slots_ = 0;
  uint32_t n_outgoing_ = 0;
  bool is_too_large_ = false;
  bool is_detached_ = false;
  std::vector<uint32_t> labels_;
  std::vector<Patch> jumps_;
};

}  // namespace tacet::interpret
