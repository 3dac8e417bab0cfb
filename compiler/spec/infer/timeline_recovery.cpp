#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

/// How the walk goes on behind a mistake, so that what follows from it is not told.
namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

void TimelineDeduction::excuse(SpecNodeId step) {
  is_excused_.insert(step.index);
  // Steps come after those that they need.
  for (SpecNodeId other : order_.steps) {
    const SpecNode& data = timeline_.nodes[other];
    const bool is_submit = data.term.kind == TermKind::SubmitEvent;
    const bool is_wait = data.term.kind == TermKind::SyncEvent;
    if (!is_submit && !is_wait) {
      continue;
    }
    SpecNodeId taken = data.children[is_submit ? 0 : 1];
    if (timeline_.nodes[taken].term.kind == TermKind::Extract) {
      taken = timeline_.children(taken)[0];
    }
    // What waits for a future that is there is needed all the same.
    if (taken != other && is_excused_.contains(taken.index) && !is_in_function(taken)) {
      is_excused_.insert(other.index);
    }
  }
}

void TimelineDeduction::excuse_users(SpecNodeId handle) {
  if (!handle.has_value() || types_[timeline_.nodes[handle].type].kind == types::TypeKind::Event) {
    return;
  }
  for (SpecNodeId user : timeline_.parents[handle.index]) {
    const TermKind kind = timeline_.nodes[user].term.kind;
    const bool is_use = kind == TermKind::SubmitEvent || kind == TermKind::SyncEvent;
    if (is_use && !is_in_function(user)) {
      excuse(user);
    }
  }
}

void TimelineDeduction::exchange(SpecNodeId one, SpecNodeId other) {
  if (!one.has_value() || !other.has_value()) {
    return;
  }
  for (SpecNodeId& node : result_.of_value) {
    node = node == one ? other : node == other ? one : node;
  }
}

/// Has something in the function come from `step`?
auto TimelineDeduction::is_in_function(SpecNodeId step) const -> bool {
  return std::find(result_.of_instruction.begin(), result_.of_instruction.end(), step) !=
         result_.of_instruction.end();
}

void TimelineDeduction::pass_over(SpecNodeId step) {
  const SpecNode& data = timeline_.nodes[step];
  const SpecNodeId event = event_after(timeline_, step);
  if (event.has_value() && data.children[0] == state_.event) {
    if (data.term.kind == TermKind::SyncEvent) {
      std::erase_if(state_.under_way,
                    [&](const UnderWay& one) { return node(one.future) == data.children[1]; });
    }
    state_.event = event;
    state_.stray_call = {};
  }
  skip_done();
}

void TimelineDeduction::skip_done() {
  if (result_.problems.empty() || !state_.event.has_value()) {
    return;
  }
  for (SpecNodeId user : timeline_.parents[state_.event.index]) {
    const bool is_done = is_early_.contains(user.index) || is_excused_.contains(user.index);
    const SpecNode& data = timeline_.nodes[user];
    if (is_done && event_after(timeline_, user).has_value() && data.children[0] == state_.event) {
      pass_over(user);
      return;
    }
  }
}

/// What was waited for is no longer under way.
void TimelineDeduction::land(ValueId future) {
  std::erase_if(state_.under_way, [&](const UnderWay& one) { return one.future == future; });
}

void TimelineDeduction::take_early(SpecNodeId step, InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  result_.of_instruction[id.index] = step;
  is_early_.insert(step.index);
  if (instruction.opcode == Opcode::Await) {
    // Under way until its turn comes: the encodings up to there list it.
    const ValueId future = function_.operands_of(instruction)[0];
    settle(future, timeline_.children(step)[1], instruction.node);
    spent_in_[future.index] = block_;
  } else {
    settle_results(step, id);
  }
}

void TimelineDeduction::take_surplus(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    is_surplus_.insert(v);
  }
  if (instruction.opcode != Opcode::Submit && instruction.opcode != Opcode::Await) {
    return;
  }
  const ValueId used = function_.operands_of(instruction)[0];
  spent_in_[used.index] = block_;
  land(used);
}

/// The encoders and futures that `id`, which is `step`, gives.
void TimelineDeduction::settle_results(SpecNodeId step, InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  if (instruction.opcode == Opcode::EncodeBegin) {
    settle(function_.result_of(instruction), infer::result_of(timeline_, step, 1),
           instruction.node);
    return;
  }
  const auto& interface = context_.get<TimelineInterfaceOf>(instruction.item);
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = function_.result_of(instruction, i);
    if (is_handle(value) && i < interface->result_quotients.size()) {
      const PortQuotient& port = interface->result_quotients[i];
      settle(value,
             port.kind == PortQuotient::Kind::Ordinal
                 ? infer::result_of(timeline_, step, port.number)
                 : SpecNodeId(),
             instruction.node);
      arrives(value);
    }
  }
}

}  // namespace tacet::infer
