#include <algorithm>

#include "compiler/front/names/importers.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

/// `@in { input: node(tmln.x) };` and `@out { output: node(tmln.x) };`, and what is said there of
/// encoders and futures.
void TimelineDeduction::annotate(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  const Tag tag =
      read_tag(syntax::Node(&tree_, instruction.node), "tmln", context_.service<Interner>());
  if (tag.kind != Tag::Kind::Node) {
    return;
  }
  const SpecNodeId said = timeline_.find(tag.names[0]);
  std::span<const ValueId> operands = function_.operands_of(instruction);
  if (operands.size() == 1) {
    if (is_handle(operands[0])) {
      if (node(operands[0]).has_value() && node(operands[0]) != said) {
        wrong_tag(tag, node(operands[0]));
      } else {
        result_.of_value[operands[0].index] = said;
      }
    }
    return;
  }
  annotate_event(tag, id);
}

/// `input` and `output` are the coordinator's own event. In `@in { output: … };` that is the one at
/// which what stands there ends: the function, or a way of an `if`.
void TimelineDeduction::annotate_event(const Tag& tag, InstructionId id) {
  const Instruction& annotation = function_.instructions[id];
  const syntax::Node key = syntax::Node(&tree_, annotation.node).child(syntax::Field::Key);
  if (key.child(syntax::Field::Name)) {
    return;
  }
  const SpecNodeId said = timeline_.find(tag.names[0]);
  if (!said.has_value()) {
    return;  // an unknown name, which is told elsewhere
  }
  if (!annotation.is_at_entry) {
    if (state_.event != said) {
      wrong_tag(tag, state_.event);
    }
    said_end_ = said;
  } else if (key.text() == "output") {
    said_ends_.push_back({end_of(block_), tag, said});
  } else if (state_.may_jump && !is_behind_step_.contains(id.index)) {
    state_.event = said;
  } else if (state_.event != said) {
    said_events_.push_back(tag);
  }
}

/// The block in which the function ends, or the way of an `if` that `block` is on.
auto TimelineDeduction::end_of(hir::BlockId block) const -> hir::BlockId {
  while (function_.blocks[block].terminator.kind == hir::TerminatorKind::Branch) {
    block = function_.blocks[block].terminator.join;
  }
  return block;
}

/// Does the way that ends with this block end as was said?
void TimelineDeduction::check_said_ends() {
  for (const SaidEnd& end : said_ends_) {
    if (end.block == block_ && state_.event != end.event) {
      ends_otherwise_.insert(block_.index);
      wrong_tag(end.tag, state_.event);
    }
  }
}

void TimelineDeduction::finish() {
  const SpecNodeId output = timeline_.outputs.empty() ? SpecNodeId() : timeline_.outputs[0];
  SpecNodeId wanted = said_end_.has_value() ? said_end_ : output;
  for (const SaidEnd& end : said_ends_) {
    if (end.block != block_ || end.event == wanted) {
      continue;
    }
    // Whoever has done all that the timeline has does no part of it.
    if (state_.event == wanted || said_end_.has_value()) {
      wrong_tag(end.tag, wanted);
    } else {
      wanted = end.event;
    }
  }
  if (wanted.has_value() && state_.event != wanted) {
    missing_at_end(wanted);
  }
  results();
}

}  // namespace tacet::infer
