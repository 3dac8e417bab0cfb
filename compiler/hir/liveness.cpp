#include "compiler/hir/liveness.h"

namespace tacet::hir {

namespace {

/// True if the instruction looks at what its place holds.
auto reads_place(const Instruction& instruction) -> bool {
  switch (instruction.opcode) {
    case Opcode::Load:
    case Opcode::Borrow:
    case Opcode::Annotate:
      return instruction.place.has_value();
    default:
      return false;
  }
}

struct PlaceLiveness {
  using Fact = BitSet;
  static constexpr Direction kDirection = Direction::Backward;
  const Function& function;

  [[nodiscard]] auto boundary() const -> Fact { return BitSet(function.places.size()); }
  [[nodiscard]] auto start() const -> Fact { return BitSet(function.places.size()); }
  void meet(Fact& into, const Fact& other) const { into.unite(other); }
  void transfer(BlockId block, Fact& live) const {
    const std::vector<InstructionId>& instructions = function.blocks[block].instructions;
    for (size_t i = instructions.size(); i-- > 0;) {
      const Instruction& instruction = function.instructions[instructions[i]];
      if (instruction.opcode == Opcode::Store) {
        live.erase(instruction.place.index);
      } else if (reads_place(instruction)) {
        live.insert(instruction.place.index);
      }
    }
  }
};

struct ValueLiveness {
  using Fact = BitSet;
  static constexpr Direction kDirection = Direction::Backward;
  const Function& function;

  [[nodiscard]] auto boundary() const -> Fact { return BitSet(function.values.size()); }
  [[nodiscard]] auto start() const -> Fact { return BitSet(function.values.size()); }
  void meet(Fact& into, const Fact& other) const { into.unite(other); }
  void transfer(BlockId block, Fact& live) const {
    const Block& data = function.blocks[block];
    use_in_phis(block, live);
    if (data.terminator.condition.has_value()) {
      live.insert(data.terminator.condition.index);
    }
    for (ValueId value : function.operands_of(data.terminator)) {
      live.insert(value.index);
    }
    for (size_t i = data.instructions.size(); i-- > 0;) {
      const Instruction& instruction = function.instructions[data.instructions[i]];
      for (uint32_t result = instruction.results.begin; result < instruction.results.end;
           ++result) {
        live.erase(result);
      }
      if (instruction.opcode != Opcode::Phi) {
        for (ValueId value : function.operands_of(instruction)) {
          live.insert(value.index);
        }
      }
    }
  }

  void use_in_phis(BlockId block, Fact& live) const {
    for (BlockId next : successors(function.blocks[block].terminator)) {
      const Block& target = function.blocks[next];
      for (InstructionId id : target.instructions) {
        const Instruction& phi = function.instructions[id];
        if (phi.opcode != Opcode::Phi) {
          break;
        }
        std::span<const ValueId> operands = function.operands_of(phi);
        for (size_t i = 0; i < operands.size(); ++i) {
          if (target.predecessors[i] == block) {
            live.insert(operands[i].index);
          }
        }
      }
    }
  }
};

}  // namespace

auto live_places(const Function& function) -> BlockFacts<BitSet> {
  return solve(function, PlaceLiveness{function});
}

auto live_values(const Function& function) -> BlockFacts<BitSet> {
  return solve(function, ValueLiveness{function});
}

}  // namespace tacet::hir
