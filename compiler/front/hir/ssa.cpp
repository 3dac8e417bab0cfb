#include "compiler/front/hir/ssa.h"

#include <algorithm>
#include <utility>

#include "base/bit_set.h"
#include "base/check.h"
#include "compiler/front/hir/dominance.h"
#include "compiler/front/hir/liveness.h"
#include "compiler/front/hir/verify.h"

namespace tacet::hir {

namespace {

/// Turns places into values. Works on a copy of the function, whose values keep their ids; loads
/// are replaced by what they load.
class Promotion {
 public:
  explicit Promotion(const Function& function)
      : result_(function), dominance_(dominance(function)), replacement_(function.values.size()) {}

  auto run() -> Function {
    place_phis();
    result_.operand_nodes.resize(result_.operands.size(), kNoNode);
    rename_all();
    replace_uses();
    drop_unused_phis();
    result_.operand_nodes.resize(result_.operands.size(), kNoNode);
    result_.is_ssa = true;
    return std::move(result_);
  }

 private:
  /// What a place holds, and the syntax node that put it there.
  struct Held {
    ValueId value;
    uint32_t node = kNoNode;
  };

  struct PlacePhi {
    PlaceId place;
    InstructionId instruction;
  };

  void place_phis() {
    const auto n_blocks = static_cast<uint32_t>(result_.blocks.size());
    phis_.resize(n_blocks);
    if (n_blocks == 1) {
      return;  // nothing meets
    }
    PlaceLiveness liveness(result_);
    std::vector<PlaceId> has_phi(n_blocks);  // by block: the last place that has one there
    for (uint32_t i = 0; i < result_.places.size(); ++i) {
      const PlaceId place{i};
      std::vector<BlockId> to_do = liveness.stores(place);
      if (std::all_of(to_do.begin(), to_do.end(),
                      [&](BlockId block) { return dominance_.frontier[block.index].empty(); })) {
        continue;
      }
      liveness.look_at(place);
      while (!to_do.empty()) {
        const BlockId block = to_do.back();
        to_do.pop_back();
        for (BlockId join : dominance_.frontier[block.index]) {
          if (has_phi[join.index] == place || !liveness.is_live(join)) {
            continue;
          }
          has_phi[join.index] = place;
          add_phi(join, place);
          to_do.push_back(join);
        }
      }
    }
    for (uint32_t i = 0; i < n_blocks; ++i) {
      std::vector<InstructionId>& instructions = result_.blocks[BlockId{i}].instructions;
      std::vector<InstructionId> with_phis;
      for (const PlacePhi& phi : phis_[i]) {
        with_phis.push_back(phi.instruction);
      }
      instructions.insert(instructions.begin(), with_phis.begin(), with_phis.end());
    }
  }

  void add_phi(BlockId block, PlaceId place) {
    const Place& data = result_.places[place];
    const size_t n = result_.blocks[block].predecessors.size();
    Instruction phi;
    phi.opcode = Opcode::Phi;
    phi.place = place;
    phi.node = data.node;
    phi.operands.begin = static_cast<uint32_t>(result_.operands.size());
    result_.operands.resize(result_.operands.size() + n);
    phi.operands.end = static_cast<uint32_t>(result_.operands.size());
    phi.results = {static_cast<uint32_t>(result_.values.size()),
                   static_cast<uint32_t>(result_.values.size() + 1)};
    const InstructionId id{static_cast<uint32_t>(result_.instructions.size())};
    result_.values.add({.type = data.type, .definition = id, .name = data.name, .node = data.node});
    replacement_.emplace_back();
    result_.instructions.add(phi);
    phis_[block.index].push_back({place, id});
  }

  /// Blocks are in the order of a walk over the tree of dominators, so what a block is to begin
  /// with is what there was at the end of its dominator: everything since is taken back.
  void rename_all() {
    held_.assign(result_.places.size(), Held());
    struct Visited {
      BlockId block;
      size_t n_changes;
    };
    std::vector<Visited> path;
    for (uint32_t i = 0; i < result_.blocks.size(); ++i) {
      while (i != 0 && path.back().block != dominance_.immediate[i]) {
        path.pop_back();
        TACET_CHECK(!path.empty(), "blocks are not in preorder of the dominator tree");
      }
      take_back(path.empty() ? 0 : path.back().n_changes);
      rename({i});
      path.push_back({{i}, changes_.size()});
    }
  }

  void take_back(size_t n_left) {
    while (changes_.size() > n_left) {
      held_[changes_.back().first.index] = changes_.back().second;
      changes_.pop_back();
    }
  }

  void hold(PlaceId place, Held held) {
    changes_.emplace_back(place, held_[place.index]);
    held_[place.index] = held;
  }

  void rename(BlockId block) {
    std::vector<InstructionId> kept;
    for (InstructionId id : result_.blocks[block].instructions) {
      if (rename(block, id, kept)) {
        kept.push_back(id);
      }
    }
    result_.blocks[block].instructions = std::move(kept);
    for (BlockId next : successors(result_.blocks[block].terminator)) {
      const std::vector<BlockId>& predecessors = result_.blocks[next].predecessors;
      for (const PlacePhi& phi : phis_[next.index]) {
        for (size_t i = 0; i < predecessors.size(); ++i) {
          if (predecessors[i] == block) {
            const size_t operand = result_.instructions[phi.instruction].operands.begin + i;
            result_.operands[operand] = held(block, phi.place);
            result_.operand_nodes[operand] = held_[phi.place.index].node;
          }
        }
      }
    }
  }

  /// False if the instruction goes away.
  auto rename(BlockId block, InstructionId id, std::vector<InstructionId>& kept) -> bool {
    const Instruction instruction = result_.instructions[id];
    if (instruction.opcode == Opcode::Phi) {
      hold(instruction.place, {result_.result_of(instruction), instruction.node});
      return true;
    }
    if (instruction.opcode == Opcode::Store) {
      hold(instruction.place, {result_.operands[instruction.operands.begin], instruction.node});
      return false;
    }
    if (instruction.opcode == Opcode::Load) {
      replacement_[instruction.results.begin] = held(block, instruction.place, &kept);
      return false;
    }
    if (looks_at_place(instruction.opcode) && instruction.place.has_value()) {
      const ValueId value = held(block, instruction.place, &kept);
      const auto at = static_cast<uint32_t>(result_.operands.size());
      result_.operands.push_back(value);
      result_.instructions[id].operands = {at, at + 1};
    }
    return true;
  }

  /// What `place` holds here; before anything is stored there, a value that says so.
  auto held(BlockId block, PlaceId place, std::vector<InstructionId>* kept = nullptr) -> ValueId {
    if (held_[place.index].value.has_value()) {
      return held_[place.index].value;
    }
    const Place& data = result_.places[place];
    Instruction undefined;
    undefined.opcode = Opcode::Undefined;
    undefined.place = place;
    undefined.node = data.node;
    undefined.results = {static_cast<uint32_t>(result_.values.size()),
                         static_cast<uint32_t>(result_.values.size() + 1)};
    const InstructionId id{static_cast<uint32_t>(result_.instructions.size())};
    const ValueId value = result_.values.add(
        {.type = data.type, .definition = id, .name = data.name, .node = data.node});
    replacement_.emplace_back();
    result_.instructions.add(undefined);
    (kept != nullptr ? *kept : result_.blocks[block].instructions).push_back(id);
    hold(place, {value, data.node});
    return value;
  }

  auto resolved(ValueId value) const -> ValueId {
    while (value.has_value() && replacement_[value.index].has_value()) {
      value = replacement_[value.index];
    }
    return value;
  }

  void replace_uses() {
    for (ValueId& operand : result_.operands) {
      operand = resolved(operand);
    }
    for (uint32_t i = 0; i < result_.blocks.size(); ++i) {
      ValueId& condition = result_.blocks[BlockId{i}].terminator.condition;
      condition = resolved(condition);
    }
    for (NameUse& use : result_.names) {
      use.value = resolved(use.value);
    }
    for (TagUse& use : result_.tags) {
      if (use.subject == TagSubject::Value) {
        use.index = resolved({use.index}).index;
      }
    }
  }

  /// A phi that only phis use that nobody else uses says nothing.
  void drop_unused_phis() {
    if (result_.blocks.size() == 1) {
      return;
    }
    std::vector<ValueId> to_do;
    BitSet is_used(result_.values.size());
    auto use = [&](ValueId value) {
      if (value.has_value() && !is_used.contains(value.index)) {
        is_used.insert(value.index);
        if (result_.definition_of(value).opcode == Opcode::Phi) {
          to_do.push_back(value);
        }
      }
    };
    for (uint32_t i = 0; i < result_.blocks.size(); ++i) {
      const Block& block = result_.blocks[BlockId{i}];
      use(block.terminator.condition);
      for (ValueId value : result_.operands_of(block.terminator)) {
        use(value);
      }
      for (InstructionId id : block.instructions) {
        if (result_.instructions[id].opcode != Opcode::Phi) {
          for (ValueId value : result_.operands_of(result_.instructions[id])) {
            use(value);
          }
        }
      }
    }
    while (!to_do.empty()) {
      const ValueId phi = to_do.back();
      to_do.pop_back();
      for (ValueId value : result_.operands_of(result_.definition_of(phi))) {
        use(value);
      }
    }
    for (uint32_t i = 0; i < result_.blocks.size(); ++i) {
      std::erase_if(result_.blocks[BlockId{i}].instructions, [&](InstructionId id) {
        const Instruction& phi = result_.instructions[id];
        return phi.opcode == Opcode::Phi && !is_used.contains(phi.results.begin);
      });
    }
  }

  Function result_;
  Dominance dominance_;
  /// By block.
  std::vector<std::vector<PlacePhi>> phis_;
  /// By place, where the renaming has got to.
  std::vector<Held> held_;
  /// The values before each change on the path to here.
  std::vector<std::pair<PlaceId, Held>> changes_;
  /// By value: what stands for it now, if it was loaded.
  std::vector<ValueId> replacement_;
};

}  // namespace

auto to_ssa(const Function& function) -> Function {
  Function promoted = Promotion(function).run();
  expect_verified(promoted, "promotion to SSA");
  return promoted;
}

}  // namespace tacet::hir
