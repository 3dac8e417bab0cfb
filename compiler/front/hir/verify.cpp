#include "compiler/front/hir/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/verifies_passes.h"
#include "compiler/front/hir/dominance.h"

namespace tacet::hir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Function& function)
      : function_(function), block_of_(function.values.size()), position_(function.values.size()) {}

  auto run() -> std::string {
    if (function_.blocks.size() == 0) {
      return "no blocks";
    }
    edges();
    if (!faults_.empty()) {
      return faults_;
    }
    dominance_ = dominance(function_);
    definitions();
    uses();
    return faults_;
  }

 private:
  void fault(const std::string& what) { faults_ += what + "\n"; }

  void edges() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const Block& block = function_.blocks[BlockId{i}];
      if (block.terminator.kind == TerminatorKind::None) {
        fault(fmt::format("b{} has no terminator", i));
      }
      if (i > 0 && block.predecessors.empty()) {
        fault(fmt::format("b{} is unreachable", i));
      }
      for (BlockId next : successors(block.terminator)) {
        if (!next.has_value() || next.index >= function_.blocks.size() || next.index <= i) {
          fault(fmt::format("b{} jumps to a block that is not after it", i));
          continue;
        }
        const std::vector<BlockId>& back = function_.blocks[next].predecessors;
        if (std::find(back.begin(), back.end(), BlockId{i}) == back.end()) {
          fault(fmt::format("b{} jumps to b{}, which does not list it as a predecessor", i,
                            next.index));
        }
      }
      for (BlockId from : block.predecessors) {
        std::span<const BlockId> next = successors(function_.blocks[from].terminator);
        if (std::find(next.begin(), next.end(), BlockId{i}) == next.end()) {
          fault(fmt::format("b{} does not jump to b{}, which lists it as a predecessor", from.index,
                            i));
        }
      }
    }
  }

  void definitions() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      uint32_t position = 0;
      bool is_behind_phis = false;
      for (InstructionId id : function_.blocks[BlockId{i}].instructions) {
        const Instruction& instruction = function_.instructions[id];
        if (instruction.opcode == Opcode::Phi && is_behind_phis) {
          fault(fmt::format("b{}: a phi after another instruction", i));
        }
        is_behind_phis = instruction.opcode != Opcode::Phi;
        ++position;
        for (uint32_t value = instruction.results.begin; value < instruction.results.end; ++value) {
          if (block_of_[value].has_value()) {
            fault(fmt::format("value {} is defined twice", value));
          }
          if (function_.values[ValueId{value}].definition != id) {
            fault(fmt::format("value {} refers to another definition", value));
          }
          block_of_[value] = {i};
          position_[value] = position;
        }
        const bool is_of_places =
            instruction.opcode == Opcode::Load || instruction.opcode == Opcode::Store;
        if (function_.is_ssa && is_of_places) {
          fault(fmt::format("b{}: a {} in SSA", i, opcode_text(instruction.opcode)));
        }
      }
    }
  }

  void use(ValueId value, BlockId block, uint32_t position) {
    if (!value.has_value() || value.index >= function_.values.size() ||
        !block_of_[value.index].has_value()) {
      fault(fmt::format("b{}: use of an undefined value", block.index));
      return;
    }
    const BlockId from = block_of_[value.index];
    const bool is_before =
        from == block ? position_[value.index] < position : dominance_.dominates(from, block);
    if (!is_before) {
      fault(fmt::format("b{}: value {} is used before it is defined", block.index, value.index));
    }
  }

  void uses() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const Block& block = function_.blocks[BlockId{i}];
      uint32_t position = 0;
      for (InstructionId id : block.instructions) {
        const Instruction& instruction = function_.instructions[id];
        ++position;
        std::span<const ValueId> operands = function_.operands_of(instruction);
        if (instruction.opcode != Opcode::Phi) {
          for (ValueId operand : operands) {
            use(operand, {i}, position);
          }
          continue;
        }
        if (operands.size() != block.predecessors.size()) {
          fault(fmt::format("b{}: a phi with {} operands", i, operands.size()));
          continue;
        }
        for (size_t k = 0; k < operands.size(); ++k) {
          use(operands[k], block.predecessors[k], UINT32_MAX);
        }
      }
      if (block.terminator.kind == TerminatorKind::Branch) {
        use(block.terminator.condition, {i}, UINT32_MAX);
      }
      for (ValueId operand : function_.operands_of(block.terminator)) {
        use(operand, {i}, UINT32_MAX);
      }
    }
  }

  const Function& function_;
  Dominance dominance_;
  std::vector<BlockId> block_of_;
  std::vector<uint32_t> position_;
  std::string faults_;
};

}  // namespace

auto verify(const Function& function) -> std::string {
  return Verifier(function).run();
}

void expect_verified(const Function& function, std::string_view pass) {
  if (verifies_passes()) {
    const std::string mistake = verify(function);
    TACET_CHECK(mistake.empty(), fmt::format("after {}: {}", pass, mistake).c_str());
  }
}

}  // namespace tacet::hir
