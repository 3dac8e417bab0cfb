#include "compiler/spec/infer/timeline_deduction.h"

#include <algorithm>

#include "compiler/front/names/importers.h"
#include "compiler/front/types/queries.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

TimelineDeduction::TimelineDeduction(query::Context& context_, const hir::Function& function_,
                                     const SpecGraph& timeline_, const syntax::Tree& tree_,
                                     const Interface& interface_, TimelineQuotients& result_)
    : context(context_),
      function(function_),
      timeline(timeline_),
      tree(tree_),
      interface(interface_),
      result(result_),
      types(context_.service<types::TypeStore>()),
      order(order_of(timeline_)),
      at_end(function_.blocks.size()),
      split_of(function_.blocks.size()),
      spent_in(function_.values.size()),
      is_behind_step(function_.instructions.size()),
      ends_otherwise(function_.blocks.size()),
      is_early(timeline_.nodes.size()),
      is_late(timeline_.nodes.size()),
      is_excused(timeline_.nodes.size()),
      is_reported(timeline_.nodes.size()),
      is_surplus(function_.values.size()) {
  for (SpecNodeId step : order.steps) {
    if (timeline_.nodes[step].term.kind == TermKind::Call) {
      called.push_back(timeline_.nodes[step].term.item);
    }
  }
  result.of_value.resize(function_.values.size());
  result.of_instruction.resize(function_.instructions.size());
  result.event_at_begin.resize(function_.blocks.size());
  result.event_after.resize(function_.instructions.size());
}

static void begin(TimelineDeduction& deduction, hir::BlockId block);
static auto later(const TimelineDeduction& deduction, SpecNodeId one, SpecNodeId other)
    -> SpecNodeId;
static void keep_common(TimelineDeduction& deduction, std::span<const InFlight> others);
static void phi(TimelineDeduction& deduction, hir::InstructionId id, hir::BlockId block);
static void encode_begin(TimelineDeduction& deduction, hir::InstructionId id);
static void submit(TimelineDeduction& deduction, hir::InstructionId id);
static void await(TimelineDeduction& deduction, hir::InstructionId id);

void run(TimelineDeduction& deduction) {
  read_tags(deduction);
  if (!check_ports(deduction)) {
    return;
  }
  const auto n_blocks = static_cast<uint32_t>(deduction.function.blocks.size());
  for (uint32_t i = 0; i < n_blocks && !deduction.is_over; ++i) {
    deduction.block = {i};
    begin(deduction, deduction.block);
    deduction.result.event_at_begin[i] = deduction.state.event;
    for (InstructionId id : deduction.function.blocks[deduction.block].instructions) {
      if (!deduction.is_over) {
        step(deduction, id);
        deduction.result.event_after[id.index] = deduction.state.event;
      }
    }
    if (!deduction.is_over && i + 1 < n_blocks) {
      check_said_ends(deduction);
    }
    deduction.at_end[i] = deduction.state;
  }
  if (!deduction.is_over) {
    finish(deduction);
  }
  if (!deduction.is_over && deduction.result.problems.empty()) {
    check_plain_tags(deduction);
  }
}

auto is_handle(const TimelineDeduction& deduction, ValueId value) -> bool {
  return value.has_value() &&
         infer::is_handle(deduction.types, deduction.function.values[value].type);
}

static auto is_future(const TimelineDeduction& deduction, ValueId value) -> bool {
  return value.has_value() &&
         deduction.types[deduction.function.values[value].type].kind == types::TypeKind::Future;
}

/// The state where the block begins: what all paths to it have in common.
static void begin(TimelineDeduction& deduction, hir::BlockId block) {
  const hir::Block& data = deduction.function.blocks[block];
  deduction.said_end = {};
  if (data.terminator.kind == hir::TerminatorKind::Branch) {
    deduction.split_of[data.terminator.join.index] = block;
  }
  if (data.predecessors.empty()) {
    deduction.state = {
        .event = deduction.timeline.inputs.empty() ? SpecNodeId() : deduction.timeline.inputs[0],
        .may_jump = true};
    return;
  }
  deduction.state = deduction.at_end[data.predecessors[0].index];
  deduction.state.may_jump = false;
  for (size_t i = 1; i < data.predecessors.size() && !deduction.is_over; ++i) {
    const State& other = deduction.at_end[data.predecessors[i].index];
    if (other.event != deduction.state.event) {
      const bool is_reported = deduction.ends_otherwise.contains(data.predecessors[0].index) ||
                               deduction.ends_otherwise.contains(data.predecessors[i].index);
      if (!is_reported) {
        paths_differ(deduction, block, deduction.state.event, other.event);
      }
      deduction.state.event = later(deduction, deduction.state.event, other.event);
    }
    keep_common(deduction, other.in_flight);
    if (!deduction.state.stray_call.has_value()) {
      deduction.state.stray_call = other.stray_call;
    }
  }
  skip_done(deduction);
}

/// Whichever of two events comes later.
static auto later(const TimelineDeduction& deduction, SpecNodeId one, SpecNodeId other)
    -> SpecNodeId {
  auto position = [&](SpecNodeId event) {
    const auto found = std::find_if(
        deduction.order.steps.begin(), deduction.order.steps.end(),
        [&](SpecNodeId step) { return event_after(deduction.timeline, step) == event; });
    return found == deduction.order.steps.end() ? ptrdiff_t{-1}
                                                : found - deduction.order.steps.begin();
  };
  return position(one) < position(other) ? other : one;
}

/// What is in flight on another path too: the same value, or the same future of the timeline, which
/// is another value that nobody uses behind the join.
static void keep_common(TimelineDeduction& deduction, std::span<const InFlight> others) {
  std::erase_if(deduction.state.in_flight, [&](InFlight& one) {
    auto is_same = [&](const InFlight& other) { return other.future == one.future; };
    if (std::any_of(others.begin(), others.end(), is_same)) {
      return false;
    }
    one.is_certain = false;
    return !node(deduction, one.future).has_value() ||
           std::none_of(others.begin(), others.end(), [&](const InFlight& other) {
             return node(deduction, other.future) == node(deduction, one.future);
           });
  });
}

void step(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Parameter) {
    parameter(deduction, id);
  } else if (opcode == Opcode::EncodeBegin) {
    encode_begin(deduction, id);
  } else if (opcode == Opcode::Submit) {
    submit(deduction, id);
  } else if (opcode == Opcode::Await) {
    await(deduction, id);
  } else if (opcode == Opcode::Call) {
    call(deduction, id);
  } else if (opcode == Opcode::Annotate) {
    annotate(deduction, id);
  } else if (opcode == Opcode::Phi) {
    phi(deduction, id, deduction.block);
  } else if (opcode == Opcode::Copy) {
    const ValueId copied = deduction.function.operands_of(instruction)[0];
    const ValueId copy = deduction.function.result_of(instruction);
    if (is_handle(deduction, copied)) {
      for (InFlight& one : deduction.state.in_flight) {
        one.future = one.future == copied ? copy : one.future;
      }
      deduction.spent_in[copy.index] = deduction.spent_in[copied.index];
      if (is_surplus(deduction, copied)) {
        deduction.is_surplus.insert(copy.index);
      }
      settle(deduction, copy, node(deduction, copied), instruction.node);
    }
  } else if (opcode == Opcode::Hole) {
    // Anything may happen where statements are missing.
    const bool is_value = instruction.is_expression && instruction.results.size() == 1 &&
                          !is_handle(deduction, deduction.function.result_of(instruction));
    deduction.is_over = deduction.is_over || !is_value;
  }
}

/// Says that `value` is `node` of the timeline, or whatever its tag says.
void settle(TimelineDeduction& deduction, ValueId value, SpecNodeId node, uint32_t at) {
  if (!is_handle(deduction, value) || is_surplus(deduction, value)) {
    return;
  }
  if (const Tag* tag = tag_of(deduction, value)) {
    const SpecNodeId said = deduction.timeline.find(tag->names[0]);
    if (node.has_value() && said != node) {
      wrong_tag(deduction, *tag, node);
    } else {
      node = said;
    }
  }
  SpecNodeId& known = deduction.result.of_value[value.index];
  if (known.has_value() && node.has_value() && known != node) {
    TimelineProblem problem;
    problem.kind = ProblemKind::OtherHandle;
    problem.wanted = node;
    problem.found = known;
    problem.node = at;
    exchange(deduction, problem.wanted, problem.found);
    fail(deduction, std::move(problem));
    return;
  }
  known = node.has_value() ? node : known;
}

/// A future that is in flight from here on.
void arrives(TimelineDeduction& deduction, ValueId future) {
  if (is_future(deduction, future)) {
    deduction.state.in_flight.push_back({.future = future});
  }
}

/// Was it submitted or awaited on a path to here already?
auto is_spent(const TimelineDeduction& deduction, ValueId value) -> bool {
  const hir::BlockId where = deduction.spent_in[value.index];
  if (!where.has_value()) {
    return false;
  }
  // A block comes after those in front of it, so whatever comes before `where` leads away from it.
  std::vector<hir::BlockId> to_do = {deduction.block};
  while (!to_do.empty()) {
    const hir::BlockId block = to_do.back();
    to_do.pop_back();
    if (block == where) {
      return true;
    }
    for (hir::BlockId before : deduction.function.blocks[block].predecessors) {
      if (before.index >= where.index) {
        to_do.push_back(before);
      }
    }
  }
  return false;
}

/// A handle that comes in over several paths is the same on all of them.
static void phi(TimelineDeduction& deduction, InstructionId id, hir::BlockId block) {
  const Instruction& instruction = deduction.function.instructions[id];
  const ValueId result = deduction.function.result_of(instruction);
  if (!is_handle(deduction, result)) {
    return;
  }
  std::span<const ValueId> operands = deduction.function.operands_of(instruction);
  SpecNodeId common;
  bool is_in_flight = is_future(deduction, result);
  for (size_t i = 0; i < operands.size(); ++i) {
    const SpecNodeId of_branch = node(deduction, operands[i]);
    if (common.has_value() && of_branch.has_value() && common != of_branch) {
      paths_differ(deduction, block, common, of_branch);
      deduction.is_surplus.insert(result.index);
    }
    if (is_surplus(deduction, operands[i])) {
      deduction.is_surplus.insert(result.index);
    }
    common = of_branch.has_value() ? of_branch : common;
    const State& from = deduction.at_end[deduction.function.blocks[block].predecessors[i].index];
    is_in_flight =
        is_in_flight && std::any_of(from.in_flight.begin(), from.in_flight.end(),
                                    [&](const InFlight& one) { return one.future == operands[i]; });
  }
  settle(deduction, result, common, instruction.node);
  if (is_in_flight && !is_surplus(deduction, result)) {
    std::erase_if(deduction.state.in_flight, [&](const InFlight& one) {
      return std::find(operands.begin(), operands.end(), one.future) != operands.end();
    });
    deduction.state.in_flight.push_back({.future = result, .is_certain = false});
  }
}

/// The steps of one kind that the timeline has right behind the current event.
auto next_steps(const TimelineDeduction& deduction, TermKind kind, names::ItemId callee)
    -> std::vector<SpecNodeId> {
  std::vector<SpecNodeId> result;
  if (!deduction.state.event.has_value()) {
    return result;
  }
  for (SpecNodeId user : deduction.timeline.parents[deduction.state.event.index]) {
    const SpecNode& step = deduction.timeline.nodes[user];
    const bool is_new = std::find(result.begin(), result.end(), user) == result.end();
    if (is_new && step.term.kind == kind && step.children[0] == deduction.state.event &&
        (kind != TermKind::Call || step.term.item == callee)) {
      result.push_back(user);
    }
  }
  return result;
}

/// One of `steps`, which are all possible: the one that a tag names, or else one that the timeline
/// returns something of.
auto pick(TimelineDeduction& deduction, std::span<const SpecNodeId> steps, InstructionId id)
    -> SpecNodeId {
  const Instruction& instruction = deduction.function.instructions[id];
  std::vector<const Tag*> tags;
  std::vector<const Tag*> remarks;  // of plain values, which may be about what is still to come
  if (auto tag = deduction.tag_of_instruction.find(id.index);
      tag != deduction.tag_of_instruction.end()) {
    tags.push_back(&tag->second);
  }
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    if (const Tag* tag = tag_of(deduction, {v})) {
      (is_handle(deduction, {v}) ? tags : remarks).push_back(tag);
    }
  }
  auto is_remarked = [&](SpecNodeId step) {
    return std::any_of(remarks.begin(), remarks.end(),
                       [&](const Tag* tag) { return says(deduction, *tag, step); });
  };
  SpecNodeId best;
  for (SpecNodeId step : steps) {
    auto denied = std::find_if(tags.begin(), tags.end(),
                               [&](const Tag* tag) { return !says(deduction, *tag, step); });
    if (denied == tags.end()) {
      const bool is_better = !best.has_value() || (!is_remarked(best) && is_remarked(step)) ||
                             (is_remarked(best) == is_remarked(step) &&
                              !deduction.order.is_needed.contains(best.index) &&
                              deduction.order.is_needed.contains(step.index));
      best = is_better ? step : best;
    } else if (steps.size() == 1) {
      wrong_tag(deduction, **denied, step);
      return step;
    }
  }
  if (!best.has_value()) {
    wrong_tag(deduction, *tags[0], steps[0]);
    best = steps[0];
  }
  return best;
}

/// `id` is `step`.
void take(TimelineDeduction& deduction, SpecNodeId step, InstructionId id) {
  deduction.result.of_instruction[id.index] = step;
  if (const SpecNodeId event = event_after(deduction.timeline, step); event.has_value()) {
    deduction.state.event = event;
    deduction.state.stray_call = {};
    deduction.state.may_jump = false;
    skip_done(deduction);
  }
}

static void encode_begin(TimelineDeduction& deduction, InstructionId id) {
  std::vector<SpecNodeId> steps = next_steps(deduction, TermKind::EncodeEvent);
  if (steps.empty()) {
    mismatch(deduction, id);
    return;
  }
  std::vector<SpecNodeId> fitting;
  for (SpecNodeId step : steps) {
    const TimelineProblem differing = difference(deduction, step);
    if (differing.not_listed.empty() && differing.not_in_flight.empty() &&
        differing.strangers.empty()) {
      fitting.push_back(step);
    }
  }
  if (fitting.empty()) {
    TimelineProblem problem = difference(deduction, steps[0]);
    problem.node = deduction.function.instructions[id].node;
    problem.rows = rows(deduction, id, steps[0]);
    for (const std::vector<SpecNodeId>* futures : {&problem.not_listed, &problem.not_in_flight}) {
      for (SpecNodeId future : *futures) {
        deduction.is_reported.insert(future.index);
      }
    }
    fail(deduction, std::move(problem));
    fitting = {steps[0]};
  }
  const SpecNodeId step = pick(deduction, fitting, id);
  match_futures(deduction, step);
  take(deduction, step, id);
  settle_results(deduction, step, id);
}

static void submit(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  const ValueId encoder = deduction.function.operands_of(instruction)[0];
  const ValueId future = deduction.function.result_of(instruction);
  if (is_surplus(deduction, encoder)) {
    take_surplus(deduction, id);
    return;
  }
  std::vector<SpecNodeId> steps = node(deduction, encoder).has_value()
                                      ? deduction.timeline.parents[node(deduction, encoder).index]
                                      : deduction.order.steps;
  std::erase_if(steps, [&](SpecNodeId step) {
    return deduction.timeline.nodes[step].term.kind != TermKind::SubmitEvent;
  });
  if (steps.empty() || is_spent(deduction, encoder)) {
    mismatch(deduction, id);
    return;
  }
  // An unknown encoder is inferred from the uses of its future.
  if (node(deduction, encoder).has_value() || steps.size() == 1 ||
      tag_of(deduction, future) != nullptr || deduction.tag_of_instruction.count(id.index) > 0) {
    const SpecNodeId step = pick(deduction, steps, id);
    settle(deduction, encoder, deduction.timeline.children(step)[0], instruction.node);
    take(deduction, step, id);
    settle(deduction, future, step, instruction.node);
  }
  deduction.spent_in[encoder.index] = deduction.block;
  arrives(deduction, future);
}

static void await(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  const ValueId future = deduction.function.operands_of(instruction)[0];
  if (is_surplus(deduction, future)) {
    take_surplus(deduction, id);
    return;
  }
  std::vector<SpecNodeId> steps = next_steps(deduction, TermKind::SyncEvent);
  std::erase_if(steps, [&](SpecNodeId step) {
    return node(deduction, future).has_value() &&
           deduction.timeline.children(step)[1] != node(deduction, future);
  });
  if (steps.empty() || is_spent(deduction, future)) {
    mismatch(deduction, id);
    return;
  }
  const SpecNodeId step = pick(deduction, steps, id);
  settle(deduction, future, deduction.timeline.children(step)[1], instruction.node);
  deduction.spent_in[future.index] = deduction.block;
  land(deduction, future);
  take(deduction, step, id);
}

}  // namespace tacet::infer
