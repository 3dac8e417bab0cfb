#include <algorithm>

#include "compiler/front/names/importers.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

static void annotate_event(TimelineDeduction& deduction, const Tag& tag, hir::InstructionId id);
static auto end_of(const TimelineDeduction& deduction, hir::BlockId block) -> hir::BlockId;

/// `@in { input: node(tmln.x) };` and `@out { output: node(tmln.x) };`, and what is said there of
/// encoders and futures.
void annotate(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  const Tag tag = read_tag(syntax::Node(&deduction.tree, instruction.node), "tmln",
                           deduction.context.service<Interner>());
  if (tag.kind != Tag::Kind::Node) {
    return;
  }
  const SpecNodeId said = deduction.timeline.find(tag.names[0]);
  std::span<const ValueId> operands = deduction.function.operands_of(instruction);
  if (operands.size() == 1) {
    if (is_handle(deduction, operands[0])) {
      if (node(deduction, operands[0]).has_value() && node(deduction, operands[0]) != said) {
        wrong_tag(deduction, tag, node(deduction, operands[0]));
      } else {
        deduction.result.of_value[operands[0].index] = said;
      }
    }
    return;
  }
  annotate_event(deduction, tag, id);
}

/// `input` and `output` are the coordinator's own event. In `@in { output: … };` that is the one at
/// which what is there ends: the function, or a branch of an `if`.
static void annotate_event(TimelineDeduction& deduction, const Tag& tag, InstructionId id) {
  const Instruction& annotation = deduction.function.instructions[id];
  const syntax::Node key = syntax::Node(&deduction.tree, annotation.node).child(syntax::Field::Key);
  if (key.child(syntax::Field::Name)) {
    return;
  }
  const SpecNodeId said = deduction.timeline.find(tag.names[0]);
  if (!said.has_value()) {
    return;  // an unknown name, which is reported elsewhere
  }
  if (!annotation.is_at_entry) {
    if (deduction.state.event != said) {
      wrong_tag(deduction, tag, deduction.state.event);
    }
    deduction.said_end = said;
  } else if (key.text() == "output") {
    deduction.said_ends.push_back({end_of(deduction, deduction.block), tag, said});
  } else if (deduction.state.may_jump && !deduction.is_behind_step.contains(id.index)) {
    deduction.state.event = said;
  } else if (deduction.state.event != said) {
    deduction.said_events.push_back(tag);
  }
}

/// The block in which the function ends, or the branch of an `if` that `block` is on.
static auto end_of(const TimelineDeduction& deduction, hir::BlockId block) -> hir::BlockId {
  while (deduction.function.blocks[block].terminator.kind == hir::TerminatorKind::Branch) {
    block = deduction.function.blocks[block].terminator.join;
  }
  return block;
}

/// Does the path that ends with this block end as declared?
void check_said_ends(TimelineDeduction& deduction) {
  for (const SaidEnd& end : deduction.said_ends) {
    if (end.block == deduction.block && deduction.state.event != end.event) {
      deduction.ends_otherwise.insert(deduction.block.index);
      wrong_tag(deduction, end.tag, deduction.state.event);
    }
  }
}

void finish(TimelineDeduction& deduction) {
  const SpecNodeId output =
      deduction.timeline.outputs.empty() ? SpecNodeId() : deduction.timeline.outputs[0];
  SpecNodeId wanted = deduction.said_end.has_value() ? deduction.said_end : output;
  for (const SaidEnd& end : deduction.said_ends) {
    if (end.block != deduction.block || end.event == wanted) {
      continue;
    }
    // A caller at the end of the timeline does no part of it.
    if (deduction.state.event == wanted || deduction.said_end.has_value()) {
      wrong_tag(deduction, end.tag, wanted);
    } else {
      wanted = end.event;
    }
  }
  if (wanted.has_value() && deduction.state.event != wanted) {
    missing_at_end(deduction, wanted);
  }
  results(deduction);
}

}  // namespace tacet::infer
