#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::ValueId;

static auto other_argument(const TimelineDeduction& deduction, hir::InstructionId id,
                           const Interface& callee, SpecNodeId step)
    -> std::optional<TimelineProblem>;
static void stray(TimelineDeduction& deduction, hir::InstructionId id, const Tag* tag);

/// A call of a function is a call of the timeline, if that calls the class of the callee's
/// timeline. Otherwise it is taken to leave the timeline alone.
void call(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  const auto signature = deduction.context.get<types::SignatureOf>(instruction.item);
  if (!signature || signature->kind != names::ItemKind::Fn) {
    return;
  }
  deduction.said_end = {};
  std::span<const ValueId> operands = deduction.function.operands_of(instruction);
  std::erase_if(deduction.state.in_flight, [&](const InFlight& one) {
    return std::find(operands.begin(), operands.end(), one.future) != operands.end();
  });
  auto found = deduction.tag_of_instruction.find(id.index);
  const Tag* tag = found == deduction.tag_of_instruction.end() ? nullptr : &found->second;
  const names::ItemId callee = class_of(deduction.context, signature->tmln);
  const bool is_mentioned = callee.has_value() &&
                            std::find(deduction.called.begin(), deduction.called.end(), callee) !=
                                deduction.called.end() &&
                            (tag == nullptr || tag->kind != Tag::Kind::None);
  if (!is_mentioned) {
    stray(deduction, id, tag);
    return;
  }
  const auto& interface = deduction.context.get<TimelineInterfaceOf>(instruction.item);
  std::vector<SpecNodeId> steps = next_steps(deduction, TermKind::Call, callee);
  std::optional<TimelineProblem> differing;
  std::erase_if(steps, [&](SpecNodeId step) {
    std::optional<TimelineProblem> problem = other_argument(deduction, id, *interface, step);
    differing = differing ? std::move(differing) : problem;
    return problem.has_value();
  });
  if (steps.empty()) {
    if (!differing) {
      mismatch(deduction, id);
      return;
    }
    const SpecNodeId wanted = next_steps(deduction, TermKind::Call, callee)[0];
    differing->rows = rows(deduction, id, wanted);
    exchange(deduction, differing->wanted, differing->found);
    fail(deduction, std::move(*differing));
    take(deduction, wanted, id);
    settle_results(deduction, wanted, id);
    return;
  }
  const SpecNodeId step = pick(deduction, steps, id);
  take(deduction, step, id);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  for (size_t i = 0; i < operands.size() && i < interface->parameter_quotients.size(); ++i) {
    const PortQuotient& port = interface->parameter_quotients[i];
    if (port.kind == PortQuotient::Kind::Ordinal &&
        port.number < deduction.timeline.children(step).size()) {
      settle(deduction, operands[i], deduction.timeline.children(step)[port.number],
             instruction.node);
    }
  }
  settle_results(deduction, step, id);
}

/// The first argument that is not what `step`, a call of the timeline, takes.
static auto other_argument(const TimelineDeduction& deduction, InstructionId id,
                           const Interface& callee, SpecNodeId step)
    -> std::optional<TimelineProblem> {
  const Instruction& instruction = deduction.function.instructions[id];
  std::span<const ValueId> operands = deduction.function.operands_of(instruction);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  for (size_t i = 0; i < operands.size() && i < callee.parameter_quotients.size(); ++i) {
    const PortQuotient& port = callee.parameter_quotients[i];
    if (port.kind != PortQuotient::Kind::Ordinal ||
        port.number >= deduction.timeline.children(step).size()) {
      continue;
    }
    const SpecNodeId wanted = deduction.timeline.children(step)[port.number];
    if (node(deduction, operands[i]).has_value() && node(deduction, operands[i]) != wanted) {
      TimelineProblem problem;
      problem.kind = ProblemKind::OtherHandle;
      problem.wanted = wanted;
      problem.found = node(deduction, operands[i]);
      problem.node = instruction.node;
      return problem;
    }
  }
  return std::nullopt;
}

/// A call that the timeline does not mention. Tags may say what it does all the same, and the head
/// of a callee that does a part of this very timeline what it gives.
static void stray(TimelineDeduction& deduction, InstructionId id, const Tag* tag) {
  const Instruction& instruction = deduction.function.instructions[id];
  const auto& interface = deduction.context.get<TimelineInterfaceOf>(instruction.item);
  const bool is_part = interface && interface->spec == deduction.result.tmln;
  size_t next = 0;
  const bool is_said = tag != nullptr && tag->kind == Tag::Kind::Node;
  auto next_said = [&](types::TypeKind kind) {
    const SpecNodeId said = is_said && next < tag->names.size()
                                ? deduction.timeline.find(tag->names[next])
                                : SpecNodeId();
    const bool fits =
        said.has_value() && deduction.types[deduction.timeline.nodes[said].type].kind == kind;
    next += fits ? 1 : 0;
    return fits ? said : SpecNodeId();
  };
  deduction.state.stray_call = id;
  deduction.state.may_jump = true;
  if (const SpecNodeId event = next_said(types::TypeKind::Event); event.has_value()) {
    deduction.state.event = event;
  }
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = deduction.function.result_of(instruction, i);
    if (!is_handle(deduction, value)) {
      continue;
    }
    SpecNodeId given = next_said(deduction.types[deduction.function.values[value].type].kind);
    if (!given.has_value() && is_part && i < interface->result_quotients.size()) {
      given = node_of_port(deduction, interface->result_quotients[i], false);
    }
    settle(deduction, value, given, instruction.node);
    arrives(deduction, value);
  }
}

/// What is in flight here and what `step`, an encoding, comes after. The order does not matter.
auto difference(const TimelineDeduction& deduction, SpecNodeId step) -> TimelineProblem {
  TimelineProblem result;
  result.kind = ProblemKind::InFlight;
  result.wanted = step;
  std::span<const SpecNodeId> listed = deduction.timeline.children(step).subspan(1);
  std::vector<SpecNodeId> known;
  size_t n_unknown = 0;
  std::vector<uint32_t> unknown;
  for (const InFlight& one : deduction.state.in_flight) {
    const SpecNodeId of_one = node(deduction, one.future);
    if (!of_one.has_value()) {
      ++n_unknown;
      if (one.is_certain) {
        unknown.push_back(deduction.function.values[one.future].node);
      }
      continue;
    }
    known.push_back(of_one);
    if (one.is_certain && !deduction.is_reported.contains(of_one.index) &&
        std::find(listed.begin(), listed.end(), of_one) == listed.end()) {
      result.not_listed.push_back(of_one);
    }
  }
  for (SpecNodeId wanted : listed) {
    if (!deduction.is_reported.contains(wanted.index) &&
        !deduction.is_excused.contains(wanted.index) &&
        std::find(known.begin(), known.end(), wanted) == known.end()) {
      result.not_in_flight.push_back(wanted);
    }
  }
  // Any of those without a node may be any that is left.
  const size_t n_left = result.not_in_flight.size();
  if (n_left <= n_unknown) {
    result.not_in_flight.clear();
  }
  if (unknown.size() > n_left) {
    result.strangers.assign(unknown.begin() + static_cast<ptrdiff_t>(n_left), unknown.end());
  }
  return result;
}

/// Futures without a node get one where only one assignment is left.
void match_futures(TimelineDeduction& deduction, SpecNodeId step) {
  std::vector<SpecNodeId> left(deduction.timeline.children(step).begin() + 1,
                               deduction.timeline.children(step).end());
  std::vector<ValueId> unknown;
  for (const InFlight& one : deduction.state.in_flight) {
    std::erase(left, node(deduction, one.future));
    if (!node(deduction, one.future).has_value()) {
      unknown.push_back(one.future);
    }
  }
  if (left.size() == 1 && unknown.size() == 1) {
    settle(deduction, unknown[0], left[0], deduction.function.values[unknown[0]].node);
  }
}

}  // namespace tacet::infer
