#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

/// How the walk continues after an error, so that its consequences are not reported.
namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

static auto is_in_function(const TimelineDeduction& deduction, SpecNodeId step) -> bool;

void excuse(TimelineDeduction& deduction, SpecNodeId step) {
  deduction.is_excused.insert(step.index);
  // Steps come after those that they need.
  for (SpecNodeId other : deduction.order.steps) {
    const SpecNode& data = deduction.timeline.nodes[other];
    const bool is_submit = data.term.kind == TermKind::SubmitEvent;
    const bool is_wait = data.term.kind == TermKind::SyncEvent;
    if (!is_submit && !is_wait) {
      continue;
    }
    SpecNodeId taken = data.children[is_submit ? 0 : 1];
    if (deduction.timeline.nodes[taken].term.kind == TermKind::Extract) {
      taken = deduction.timeline.children(taken)[0];
    }
    // What waits for a future that is there is needed all the same.
    if (taken != other && deduction.is_excused.contains(taken.index) &&
        !is_in_function(deduction, taken)) {
      deduction.is_excused.insert(other.index);
    }
  }
}

void excuse_users(TimelineDeduction& deduction, SpecNodeId handle) {
  if (!handle.has_value() ||
      deduction.types[deduction.timeline.nodes[handle].type].kind == types::TypeKind::Event) {
    return;
  }
  for (SpecNodeId user : deduction.timeline.parents[handle.index]) {
    const TermKind kind = deduction.timeline.nodes[user].term.kind;
    const bool is_use = kind == TermKind::SubmitEvent || kind == TermKind::SyncEvent;
    if (is_use && !is_in_function(deduction, user)) {
      excuse(deduction, user);
    }
  }
}

void exchange(TimelineDeduction& deduction, SpecNodeId one, SpecNodeId other) {
  if (!one.has_value() || !other.has_value()) {
    return;
  }
  for (SpecNodeId& node : deduction.result.of_value) {
    node = node == one ? other : node == other ? one : node;
  }
}

/// Has something in the function come from `step`?
static auto is_in_function(const TimelineDeduction& deduction, SpecNodeId step) -> bool {
  return std::find(deduction.result.of_instruction.begin(), deduction.result.of_instruction.end(),
                   step) != deduction.result.of_instruction.end();
}

void pass_over(TimelineDeduction& deduction, SpecNodeId step) {
  const SpecNode& data = deduction.timeline.nodes[step];
  const SpecNodeId event = event_after(deduction.timeline, step);
  if (event.has_value() && data.children[0] == deduction.state.event) {
    if (data.term.kind == TermKind::SyncEvent) {
      std::erase_if(deduction.state.in_flight, [&](const InFlight& one) {
        return node(deduction, one.future) == data.children[1];
      });
    }
    deduction.state.event = event;
    deduction.state.stray_call = {};
  }
  skip_done(deduction);
}

void skip_done(TimelineDeduction& deduction) {
  if (deduction.result.problems.empty() || !deduction.state.event.has_value()) {
    return;
  }
  for (SpecNodeId user : deduction.timeline.parents[deduction.state.event.index]) {
    const bool is_done =
        deduction.is_early.contains(user.index) || deduction.is_excused.contains(user.index);
    const SpecNode& data = deduction.timeline.nodes[user];
    if (is_done && event_after(deduction.timeline, user).has_value() &&
        data.children[0] == deduction.state.event) {
      pass_over(deduction, user);
      return;
    }
  }
}

/// What was awaited is no longer in flight.
void land(TimelineDeduction& deduction, ValueId future) {
  std::erase_if(deduction.state.in_flight,
                [&](const InFlight& one) { return one.future == future; });
}

void take_early(TimelineDeduction& deduction, SpecNodeId step, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  deduction.result.of_instruction[id.index] = step;
  deduction.is_early.insert(step.index);
  if (instruction.opcode == Opcode::Await) {
    // In flight until its await: the encodings up to there list it.
    const ValueId future = deduction.function.operands_of(instruction)[0];
    settle(deduction, future, deduction.timeline.children(step)[1], instruction.node);
    deduction.spent_in[future.index] = deduction.block;
  } else {
    settle_results(deduction, step, id);
  }
}

void take_surplus(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    deduction.is_surplus.insert(v);
  }
  if (instruction.opcode != Opcode::Submit && instruction.opcode != Opcode::Await) {
    return;
  }
  const ValueId used = deduction.function.operands_of(instruction)[0];
  deduction.spent_in[used.index] = deduction.block;
  land(deduction, used);
}

/// The encoders and futures that `id`, which is `step`, gives.
void settle_results(TimelineDeduction& deduction, SpecNodeId step, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  if (instruction.opcode == Opcode::EncodeBegin) {
    settle(deduction, deduction.function.result_of(instruction),
           infer::result_of(deduction.timeline, step, 1), instruction.node);
    return;
  }
  const auto& interface = deduction.context.get<TimelineInterfaceOf>(instruction.item);
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = deduction.function.result_of(instruction, i);
    if (is_handle(deduction, value) && i < interface->result_quotients.size()) {
      const PortQuotient& port = interface->result_quotients[i];
      settle(deduction, value,
             port.kind == PortQuotient::Kind::Ordinal
                 ? infer::result_of(deduction.timeline, step, port.number)
                 : SpecNodeId(),
             instruction.node);
      arrives(deduction, value);
    }
  }
}

}  // namespace tacet::infer
