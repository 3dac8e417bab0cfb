#include "compiler/front/flow/trace.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tacet::flow {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceId;
using hir::ValueId;

namespace {

class Tracer {
 public:
  Tracer(const PlaceProblem& problem, const hir::BlockFacts<PlaceFact>& facts, Wanted wanted)
      : problem_(problem), function_(problem.function()), facts_(facts), wanted_(wanted) {}

  auto run(BlockId block, size_t position, PlaceId place) -> Reasons {
    look_through(block, position, place);
    while (!to_do_.empty()) {
      const auto [next, of] = to_do_.back();
      to_do_.pop_back();
      look_through(next, function_.blocks[next].instructions.size(), of);
    }
    return std::move(reasons_);
  }

 private:
  static constexpr size_t kMaxReasons = 3;

  template <class T>
  static void add(std::vector<T>& to, T what) {
    if (to.size() < kMaxReasons && std::find(to.begin(), to.end(), what) == to.end()) {
      to.push_back(what);
    }
  }

  void look_through(BlockId block, size_t position, PlaceId place) {
    const std::vector<InstructionId>& instructions = function_.blocks[block].instructions;
    for (size_t i = position; i-- > 0;) {
      if (settles(instructions[i], place)) {
        return;
      }
    }
    go_back(block, place);
  }

  /// True if nothing in front of the instruction matters for `place`, which may become another.
  auto settles(InstructionId id, PlaceId& place) -> bool {
    const Instruction& instruction = function_.instructions[id];
    if (instruction.opcode == Opcode::Store) {
      return store_settles(id, place);
    }
    if (instruction.opcode == Opcode::Submit || instruction.opcode == Opcode::Await ||
        instruction.opcode == Opcode::Call) {
      std::span<const ValueId> operands = function_.operands_of(instruction);
      return std::any_of(
                 operands.begin(), operands.end(),
                 [&](ValueId operand) { return problem_.place_of_handle(operand) == place; }) &&
             is_cause(id);
    }
    return problem_.is_unclear(instruction, place);
  }

  auto store_settles(InstructionId id, PlaceId& place) -> bool {
    const Instruction& store = function_.instructions[id];
    const PlaceId from = problem_.copied_place(store);
    if (store.place != place) {
      return from == place && problem_.is_handle(from) && is_cause(id);
    }
    const ValueId stored = function_.operands_of(store)[0];
    if (problem_.ports().unfilled_values.contains(stored.index)) {
      add(reasons_.unfilled, function_.values[stored].definition);
      return false;
    }
    if (problem_.ports().empty_values.contains(stored.index)) {
      return is_cause(function_.values[stored].definition);
    }
    if (!problem_.is_followed(from) || problem_.is_handle(from)) {
      return true;
    }
    place = from;
    return false;
  }

  auto is_cause(InstructionId id) -> bool {
    if (wanted_ == Wanted::Empty) {
      add(reasons_.causes, id);
    }
    return true;
  }

  void go_back(BlockId block, PlaceId place) {
    const std::vector<BlockId>& from = function_.blocks[block].predecessors;
    const bool is_other_met = std::any_of(from.begin(), from.end(), [&](BlockId before) {
      return is_state(before, place, wanted_ == Wanted::Empty ? Wanted::Full : Wanted::Empty);
    });
    for (BlockId before : from) {
      if (!is_state(before, place, wanted_)) {
        continue;
      }
      const bool is_sure =
          !is_state(before, place, wanted_ == Wanted::Empty ? Wanted::Full : Wanted::Empty);
      if (is_other_met && is_sure && from.size() > 1) {
        note_side(block, before);
      }
      if (seen_.emplace(before, place).second) {
        to_do_.emplace_back(before, place);
      }
    }
  }

  auto is_state(BlockId block, PlaceId place, Wanted wanted) const -> bool {
    const PlaceFact& fact = facts_.at_end[block.index];
    return wanted == Wanted::Empty ? problem_.is_empty(fact, place) : problem_.is_full(fact, place);
  }

  /// Control reaches `join` from `before`: which side of which branch is that?
  void note_side(BlockId join, BlockId before) {
    for (uint32_t i = join.index; i-- > 0;) {
      const hir::Terminator& branch = function_.blocks[BlockId{i}].terminator;
      if (branch.kind == hir::TerminatorKind::Branch && branch.join == join) {
        // Blocks on the false side come behind those of the other.
        add(reasons_.sides, BranchSide{branch.node, before < branch.targets[1]});
        return;
      }
    }
  }

  const PlaceProblem& problem_;
  const hir::Function& function_;
  const hir::BlockFacts<PlaceFact>& facts_;
  Wanted wanted_;
  Reasons reasons_;
  std::vector<std::pair<BlockId, PlaceId>> to_do_;
  std::set<std::pair<BlockId, PlaceId>> seen_;
};

}  // namespace

auto trace(const PlaceProblem& problem, const hir::BlockFacts<PlaceFact>& facts, BlockId block,
           size_t position, PlaceId place, Wanted wanted) -> Reasons {
  return Tracer(problem, facts, wanted).run(block, position, place);
}

}  // namespace tacet::flow
