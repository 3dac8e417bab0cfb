#include "compiler/front/hir/liveness.h"

namespace tacet::hir {

/// True if the instruction looks at what its place holds.
static auto reads_place(const Instruction& instruction) -> bool {
  return looks_at_place(instruction.opcode) && instruction.place.has_value();
}

PlaceLiveness::PlaceLiveness(const Function& function)
    : function_(function),
      stores_(function.places.size()),
      exposed_(function.places.size()),
      looked_at_(function.blocks.size()),
      stored_(function.blocks.size()) {
  auto note = [](std::vector<BlockId>& blocks, BlockId block) {
    if (blocks.empty() || blocks.back() != block) {
      blocks.push_back(block);
    }
  };
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    const BlockId block{i};
    for (InstructionId id : function.blocks[block].instructions) {
      const Instruction& instruction = function.instructions[id];
      if (instruction.opcode == Opcode::Store) {
        note(stores_[instruction.place.index], block);
      } else if (reads_place(instruction)) {
        const std::vector<BlockId>& stores = stores_[instruction.place.index];
        if (stores.empty() || stores.back() != block) {
          note(exposed_[instruction.place.index], block);
        }
      }
    }
  }
}

void PlaceLiveness::look_at(PlaceId place) {
  current_ = place;
  for (BlockId block : stores_[place.index]) {
    stored_[block.index] = place;
  }
  std::vector<BlockId> to_do = exposed_[place.index];
  for (BlockId block : to_do) {
    looked_at_[block.index] = place;
  }
  while (!to_do.empty()) {
    const BlockId block = to_do.back();
    to_do.pop_back();
    for (BlockId from : function_.blocks[block].predecessors) {
      if (looked_at_[from.index] != place && stored_[from.index] != place) {
        looked_at_[from.index] = place;
        to_do.push_back(from);
      }
    }
  }
}

}  // namespace tacet::hir
