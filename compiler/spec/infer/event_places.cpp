#include "compiler/spec/infer/event_places.h"

#include <algorithm>

namespace tacet::infer {

using hir::Opcode;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto moves_event(Opcode opcode) -> bool {
  return opcode == Opcode::EncodeBegin || opcode == Opcode::Submit || opcode == Opcode::Await ||
         opcode == Opcode::Call;
}

EventPlaces::EventPlaces(const hir::Function& function, const syntax::Tree& tree,
                         const TimelineQuotients& events) {
  if (function.blocks.size() > 0) {
    changes_.push_back({0, events.event_at_begin[0]});
  }
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    const hir::Block& block = function.blocks[hir::BlockId{i}];
    SpecNodeId before = events.event_at_begin[i];
    for (hir::InstructionId id : block.instructions) {
      const hir::Instruction& instruction = function.instructions[id];
      const bool is_another = events.event_after[id.index] != before;
      before = events.event_after[id.index];
      if (instruction.node == hir::kNoNode) {
        continue;
      }
      const Node node(&tree, instruction.node);
      // `@in { input: … };` that says what was not known.
      const bool is_jump = instruction.opcode == Opcode::Annotate && is_another;
      // A step comes after its operands.
      if (moves_event(instruction.opcode) || is_jump) {
        changes_.push_back({node.subtree_end(), events.event_after[id.index]});
      }
    }
    if (block.terminator.kind == hir::TerminatorKind::Branch &&
        block.terminator.node != hir::kNoNode) {
      add_sides(block.terminator, tree, events);
    }
  }
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change& a, const Change& b) { return a.place < b.place; });
}

void EventPlaces::add_sides(const hir::Terminator& split, const syntax::Tree& tree,
                            const TimelineQuotients& events) {
  const Node choice(&tree, split.node);
  const SpecNodeId behind = events.event_at_begin[split.join.index];
  if (choice.is(NodeKind::IfExpression)) {
    auto add_side = [&](Field field, size_t target) {
      if (const Node arm = choice.child(field)) {
        changes_.push_back({arm.index(), events.event_at_begin[split.targets[target].index]});
      }
    };
    add_side(Field::Consequence, 0);
    add_side(Field::Alternative, 1);
  } else {
    // `a if c else b`, which is not evaluated in the order of the text.
    changes_.push_back({choice.index(), {}});
  }
  changes_.push_back({choice.subtree_end(), behind});
}

auto EventPlaces::at(uint32_t place) const -> SpecNodeId {
  const auto next =
      std::upper_bound(changes_.begin(), changes_.end(), place,
                       [](uint32_t at, const Change& change) { return at < change.place; });
  return next == changes_.begin() ? SpecNodeId() : std::prev(next)->event;
}

}  // namespace tacet::infer
