#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::ValueId;

/// A call of a function is a call of the timeline, if that calls the class of the callee's
/// timeline. Otherwise it is taken to leave the timeline alone.
void TimelineDeduction::call(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  const auto signature = context_.get<types::SignatureOf>(instruction.item);
  if (!signature || signature->kind != names::ItemKind::Fn) {
    return;
  }
  said_end_ = {};
  std::span<const ValueId> operands = function_.operands_of(instruction);
  std::erase_if(state_.under_way, [&](const UnderWay& one) {
    return std::find(operands.begin(), operands.end(), one.future) != operands.end();
  });
  auto found = tag_of_instruction_.find(id.index);
  const Tag* tag = found == tag_of_instruction_.end() ? nullptr : &found->second;
  const names::ItemId callee = class_of(context_, signature->tmln);
  const bool is_mentioned = callee.has_value() &&
                            std::find(called_.begin(), called_.end(), callee) != called_.end() &&
                            (tag == nullptr || tag->kind != Tag::Kind::None);
  if (!is_mentioned) {
    stray(id, tag);
    return;
  }
  const auto& interface = context_.get<TimelineInterfaceOf>(instruction.item);
  std::vector<SpecNodeId> steps = next_steps(TermKind::Call, callee);
  std::optional<TimelineProblem> differing;
  std::erase_if(steps, [&](SpecNodeId step) {
    std::optional<TimelineProblem> problem = other_argument(id, *interface, step);
    differing = differing ? std::move(differing) : problem;
    return problem.has_value();
  });
  if (steps.empty()) {
    if (!differing) {
      mismatch(id);
      return;
    }
    const SpecNodeId wanted = next_steps(TermKind::Call, callee)[0];
    differing->rows = rows(id, wanted);
    exchange(differing->wanted, differing->found);
    fail(std::move(*differing));
    take(wanted, id);
    settle_results(wanted, id);
    return;
  }
  const SpecNodeId step = pick(steps, id);
  take(step, id);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  for (size_t i = 0; i < operands.size() && i < interface->parameter_quotients.size(); ++i) {
    const PortQuotient& port = interface->parameter_quotients[i];
    if (port.kind == PortQuotient::Kind::Ordinal && port.number < timeline_.children(step).size()) {
      settle(operands[i], timeline_.children(step)[port.number], instruction.node);
    }
  }
  settle_results(step, id);
}

auto TimelineDeduction::other_argument(InstructionId id, const Interface& callee,
                                       SpecNodeId step) const -> std::optional<TimelineProblem> {
  const Instruction& instruction = function_.instructions[id];
  std::span<const ValueId> operands = function_.operands_of(instruction);
  operands = operands.subspan(std::min<size_t>(instruction.n_dims, operands.size()));
  for (size_t i = 0; i < operands.size() && i < callee.parameter_quotients.size(); ++i) {
    const PortQuotient& port = callee.parameter_quotients[i];
    if (port.kind != PortQuotient::Kind::Ordinal ||
        port.number >= timeline_.children(step).size()) {
      continue;
    }
    const SpecNodeId wanted = timeline_.children(step)[port.number];
    if (node(operands[i]).has_value() && node(operands[i]) != wanted) {
      TimelineProblem problem;
      problem.kind = Kind::OtherHandle;
      problem.wanted = wanted;
      problem.found = node(operands[i]);
      problem.node = instruction.node;
      return problem;
    }
  }
  return std::nullopt;
}

/// A call that the timeline does not mention. Tags may say what it does all the same, and the head
/// of a callee that does a part of this very timeline what it gives.
void TimelineDeduction::stray(InstructionId id, const Tag* tag) {
  const Instruction& instruction = function_.instructions[id];
  const auto& interface = context_.get<TimelineInterfaceOf>(instruction.item);
  const bool is_part = interface && interface->spec == result_.tmln;
  size_t next = 0;
  const bool is_said = tag != nullptr && tag->kind == Tag::Kind::Node;
  auto next_said = [&](types::TypeKind kind) {
    const SpecNodeId said =
        is_said && next < tag->names.size() ? timeline_.find(tag->names[next]) : SpecNodeId();
    const bool fits = said.has_value() && types_[timeline_.nodes[said].type].kind == kind;
    next += fits ? 1 : 0;
    return fits ? said : SpecNodeId();
  };
  state_.stray_call = id;
  state_.may_jump = true;
  if (const SpecNodeId event = next_said(types::TypeKind::Event); event.has_value()) {
    state_.event = event;
  }
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = function_.result_of(instruction, i);
    if (!is_handle(value)) {
      continue;
    }
    SpecNodeId given = next_said(types_[function_.values[value].type].kind);
    if (!given.has_value() && is_part && i < interface->result_quotients.size()) {
      given = node_of_port(interface->result_quotients[i], false);
    }
    settle(value, given, instruction.node);
    arrives(value);
  }
}

/// What is under way here and what `step`, an encoding, comes after. Their order is of no matter.
auto TimelineDeduction::difference(SpecNodeId step) const -> TimelineProblem {
  TimelineProblem result;
  result.kind = Kind::UnderWay;
  result.wanted = step;
  std::span<const SpecNodeId> listed = timeline_.children(step).subspan(1);
  std::vector<SpecNodeId> known;
  size_t n_unknown = 0;
  std::vector<uint32_t> unknown;
  for (const UnderWay& one : state_.under_way) {
    const SpecNodeId of_one = node(one.future);
    if (!of_one.has_value()) {
      ++n_unknown;
      if (one.is_certain) {
        unknown.push_back(function_.values[one.future].node);
      }
      continue;
    }
    known.push_back(of_one);
    if (one.is_certain && !is_told_.contains(of_one.index) &&
        std::find(listed.begin(), listed.end(), of_one) == listed.end()) {
      result.not_listed.push_back(of_one);
    }
  }
  for (SpecNodeId wanted : listed) {
    if (!is_told_.contains(wanted.index) && !is_excused_.contains(wanted.index) &&
        std::find(known.begin(), known.end(), wanted) == known.end()) {
      result.not_under_way.push_back(wanted);
    }
  }
  // Any of those without a node may be any that is left.
  const size_t n_left = result.not_under_way.size();
  if (n_left <= n_unknown) {
    result.not_under_way.clear();
  }
  if (unknown.size() > n_left) {
    result.strangers.assign(unknown.begin() + static_cast<ptrdiff_t>(n_left), unknown.end());
  }
  return result;
}

/// Futures without a node get one where only one way is left.
void TimelineDeduction::match_futures(SpecNodeId step) {
  std::vector<SpecNodeId> left(timeline_.children(step).begin() + 1,
                               timeline_.children(step).end());
  std::vector<ValueId> unknown;
  for (const UnderWay& one : state_.under_way) {
    std::erase(left, node(one.future));
    if (!node(one.future).has_value()) {
      unknown.push_back(one.future);
    }
  }
  if (left.size() == 1 && unknown.size() == 1) {
    settle(unknown[0], left[0], function_.values[unknown[0]].node);
  }
}

}  // namespace tacet::infer
