#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>

#include "compiler/run/cps/assemble.h"

namespace tacet::cps {

/// Appends instructions to the program of the machine, and cells to the frame of the funclet that
/// is being assembled. Private to this folder.
class CodeWriter {
 public:
  explicit CodeWriter(Assembled& assembled) : assembled_(assembled) {}

  auto program() -> engine::CoordinatorProgram& { return assembled_.program; }

  void begin_frame() { n_cells_ = 0; }
  [[nodiscard]] auto n_cells() const -> uint32_t { return n_cells_; }
  /// The first of `n` new cells.
  auto reserve(uint32_t n) -> uint32_t {
    n_cells_ += n;
    return n_cells_ - n;
  }

  /// Where what follows comes from.
  void set_source(uint32_t source) { source_ = source; }
  [[nodiscard]] auto source() const -> uint32_t { return source_; }

  void emit(engine::CoordinatorOpcode opcode, std::initializer_list<uint32_t> operands,
            uint8_t operation = 0, engine::ElementType type = {}) {
    engine::CoordinatorInstruction instruction;
    instruction.opcode = opcode;
    instruction.operation = operation;
    instruction.type = type;
    std::copy(operands.begin(), operands.end(), instruction.operands);
    program().instructions.push_back(instruction);
    assembled_.sources.push_back(source_);
  }
  /// The instruction that comes next.
  auto here() -> uint32_t { return static_cast<uint32_t>(program().instructions.size()); }
  /// Lets the jump `instruction` go to what comes next; its target is operand `operand`.
  void land(uint32_t instruction, uint32_t operand) {
    program().instructions[instruction].operands[operand] = here();
  }

  /// A list of moves; neighbours become one.
  auto list(std::span<const engine::Move> moves) -> uint32_t {
    engine::MoveList list;
    list.first = static_cast<uint32_t>(program().moves.size());
    for (engine::Move move : moves) {
      list.n_cells += move.n;
      engine::Move* last = list.n_moves > 0 ? &program().moves.back() : nullptr;
      if (last != nullptr && last->source + last->n == move.source) {
        last->n += move.n;
      } else {
        program().moves.push_back(move);
        ++list.n_moves;
      }
    }
    program().lists.push_back(list);
    return static_cast<uint32_t>(program().lists.size() - 1);
  }

 private:
  Assembled& assembled_;
  uint32_t n_cells_ = 0;
  uint32_t source_ = engine::kNone;
};

auto n_elements(const Type& type) -> uint32_t;

/// The number of cells that a kernel with a grid of `n_dims` gets.
auto n_input_cells(const engine::CoordinatorKernel& kernel, uint32_t n_dims) -> uint32_t;

/// Computes `formula` on operands that stand at `operands`. Gives where the result stands.
auto assemble_formula(const Program& program, const Formula& formula,
                      std::span<const Type> operand_types, std::span<const uint32_t> operands,
                      CodeWriter& code) -> uint32_t;

}  // namespace tacet::cps
