#include "compiler/front/hir/copy_consumed.h"

#include <algorithm>
#include <unordered_map>

namespace tacet::hir {

namespace {

class ConsumedCopies {
 public:
  ConsumedCopies(Function& function, const types::TypeStore& types,
                 const std::function<bool(names::ItemId)>& consumes)
      : function_(function), types_(types), consumes_(consumes) {}

  void run() {
    find_uses();
    find_first_branches();
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      copy_in({i});
    }
  }

  [[nodiscard]] auto has_calls() const -> bool {
    const auto& all = function_.instructions.values();
    return std::any_of(all.begin(), all.end(), [&](const Instruction& instruction) {
      return instruction.opcode == Opcode::Call && consumes_(instruction.item);
    });
  }

  void copy_what_is_given_twice() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      Block& block = function_.blocks[BlockId{i}];
      std::vector<InstructionId> copies;
      for (uint32_t k = block.terminator.operands.begin; k < block.terminator.operands.end; ++k) {
        if (stands_before(k, block.terminator.operands.begin)) {
          copy(k, block.terminator.node, copies);
        }
      }
      block.instructions.insert(block.instructions.end(), copies.begin(), copies.end());
    }
  }

 private:
  /// The second branch of an `if`, unreachable from the first: blocks `[begin, end)`.
  struct Excluded {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t next = kNoNode;  ///< that of the next `if` around, as a block of its first branch
  };

  void find_uses() {
    uses_.resize(function_.values.size());
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const Block& block = function_.blocks[BlockId{i}];
      for (InstructionId id : block.instructions) {
        use(function_.operands_of(function_.instructions[id]), i);
      }
      use(function_.operands_of(block.terminator), i);
      if (block.terminator.condition.has_value()) {
        use(std::span(&block.terminator.condition, 1), i);
      }
    }
  }

  void use(std::span<const ValueId> operands, uint32_t block) {
    for (ValueId value : operands) {
      std::vector<uint32_t>& blocks = uses_[value.index];
      if (blocks.empty() || blocks.back() != block) {
        blocks.push_back(block);
      }
    }
  }

  /// By block: the innermost `if` whose first branch it is on.
  void find_first_branches() {
    around_.assign(function_.blocks.size(), kNoNode);
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const Terminator& terminator = function_.blocks[BlockId{i}].terminator;
      if (terminator.kind != TerminatorKind::Branch) {
        continue;
      }
      around_[terminator.targets[0].index] = static_cast<uint32_t>(excluded_.size());
      excluded_.push_back({terminator.targets[1].index, terminator.join.index, around_[i]});
      around_[terminator.targets[1].index] = around_[i];
      around_[terminator.join.index] = around_[i];
    }
  }

  /// Is `value` used in a block that follows `block` on some path?
  auto is_used_behind(ValueId value, uint32_t block) const -> bool {
    const std::vector<uint32_t>& uses = uses_[value.index];
    auto at = std::upper_bound(uses.begin(), uses.end(), block);
    for (uint32_t i = around_[block]; i != kNoNode && at != uses.end(); i = excluded_[i].next) {
      if (*at < excluded_[i].begin) {
        return true;
      }
      at = std::lower_bound(at, uses.end(), excluded_[i].end);
    }
    return at != uses.end();
  }

  auto stands_before(uint32_t operand, uint32_t begin) const -> bool {
    const ValueId value = function_.operands[operand];
    const auto first = function_.operands.begin() + begin;
    const auto here = function_.operands.begin() + operand;
    return is_consumed(value) && std::find(first, here, value) != here;
  }

  auto is_consumed(ValueId value) const -> bool {
    const types::TypeId type = function_.values[value].type;
    return is_value(types_, type) && types_[type].kind != types::TypeKind::Reference;
  }

  void copy_in(BlockId id) {
    Block& block = function_.blocks[id];
    // By value: the last instruction of this block that uses it, counted from 1.
    last_use_.clear();
    bool has_call = false;
    for (InstructionId instruction : block.instructions) {
      has_call = has_call || is_call(instruction);
    }
    if (!has_call) {
      return;
    }
    for (size_t k = 0; k < block.instructions.size(); ++k) {
      note_last(function_.operands_of(function_.instructions[block.instructions[k]]), k);
    }
    note_last(function_.operands_of(block.terminator), block.instructions.size());
    if (block.terminator.condition.has_value()) {
      note_last(std::span(&block.terminator.condition, 1), block.instructions.size());
    }
    std::vector<InstructionId> with_copies;
    for (size_t k = 0; k < block.instructions.size(); ++k) {
      const InstructionId instruction = block.instructions[k];
      if (is_call(instruction)) {
        copy_operands(instruction, id.index, k, with_copies);
      }
      with_copies.push_back(instruction);
    }
    block.instructions = std::move(with_copies);
  }

  auto is_call(InstructionId id) const -> bool {
    const Instruction& instruction = function_.instructions[id];
    return instruction.opcode == Opcode::Call && consumes_(instruction.item);
  }

  void note_last(std::span<const ValueId> operands, size_t position) {
    for (ValueId value : operands) {
      last_use_[value.index] = position;
    }
  }

  void copy_operands(InstructionId call, uint32_t block, size_t position,
                     std::vector<InstructionId>& copies) {
    const Slice operands = function_.instructions[call].operands;
    for (uint32_t k = operands.begin; k < operands.end; ++k) {
      const ValueId value = function_.operands[k];
      const bool is_used_again =
          is_consumed(value) && (last_use_[value.index] > position || is_used_behind(value, block));
      if (is_used_again || stands_before(k, operands.begin)) {
        copy(k, function_.instructions[call].node, copies);
      }
    }
  }

  /// Replaces an operand by a copy.
  void copy(uint32_t operand, uint32_t node, std::vector<InstructionId>& copies) {
    const ValueId value = function_.operands[operand];
    Instruction copy;
    copy.opcode = Opcode::Copy;
    copy.node = node;
    copy.operands.begin = static_cast<uint32_t>(function_.operands.size());
    copy.operands.end = copy.operands.begin + 1;
    copy.results.begin = static_cast<uint32_t>(function_.values.size());
    copy.results.end = copy.results.begin + 1;
    function_.operands.push_back(value);
    Value made = function_.values[value];
    made.definition = {static_cast<uint32_t>(function_.instructions.size())};
    function_.operands[operand] = function_.values.add(made);
    copies.push_back(function_.instructions.add(copy));
  }

  Function& function_;
  const types::TypeStore& types_;
  const std::function<bool(names::ItemId)>& consumes_;
  /// By value: the blocks that use it, ascending.
  std::vector<std::vector<uint32_t>> uses_;
  std::vector<uint32_t> around_;  ///< by block: in `excluded_`
  std::vector<Excluded> excluded_;
  std::unordered_map<uint32_t, size_t> last_use_;
};

}  // namespace

void copy_consumed(Function& function, const types::TypeStore& types,
                   const std::function<bool(names::ItemId)>& consumes) {
  ConsumedCopies copies(function, types, consumes);
  if (copies.has_calls()) {
    copies.run();
  }
  copies.copy_what_is_given_twice();
}

}  // namespace tacet::hir
