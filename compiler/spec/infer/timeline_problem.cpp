#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

/// Which mistake it is that the walk came upon. All of this runs once for each.
namespace tacet::infer {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;

static void blame_call(const TimelineDeduction& deduction, TimelineProblem& problem);
static auto is_done_later(const TimelineDeduction& deduction, SpecNodeId step,
                          hir::InstructionId id) -> bool;
static void missing(TimelineDeduction& deduction, TimelineProblem problem, SpecNodeId wanted,
                    hir::InstructionId id);

void fail(TimelineDeduction& deduction, TimelineProblem problem) {
  blame_call(deduction, problem);
  deduction.result.problems.push_back(std::move(problem));
}

/// Where a step is missing, a call in its place may be what was meant to do it.
static void blame_call(const TimelineDeduction& deduction, TimelineProblem& problem) {
  const bool is_missing = problem.kind == ProblemKind::OutOfOrder ||
                          problem.kind == ProblemKind::Missing ||
                          problem.kind == ProblemKind::NotMentioned;
  if (!is_missing || !problem.wanted.has_value() || !deduction.state.stray_call.has_value()) {
    return;
  }
  const Instruction& call = deduction.function.instructions[deduction.state.stray_call];
  const auto signature = deduction.context.get<types::SignatureOf>(call.item);
  const auto timeline = signature && signature->tmln.has_value()
                            ? deduction.context.get<SpecificationOf>(signature->tmln)
                            : nullptr;
  if (!timeline || !timeline->graph || is_trivial(*timeline->graph)) {
    return;
  }
  if (deduction.timeline.nodes[problem.wanted].term.kind == TermKind::Call &&
      problem.kind != ProblemKind::OutOfOrder) {
    problem.kind = ProblemKind::OtherCallee;
    problem.node = call.node;
  } else {
    problem.other_node = call.node;
  }
}

/// A step, or something that should be one.
static auto is_device_step(const TimelineDeduction& deduction, InstructionId id) -> bool {
  const Instruction& instruction = deduction.function.instructions[id];
  if (instruction.opcode != Opcode::Call) {
    return instruction.opcode == Opcode::EncodeBegin || instruction.opcode == Opcode::Submit ||
           instruction.opcode == Opcode::Await;
  }
  if (deduction.result.of_instruction[id.index].has_value()) {
    return true;
  }
  const auto signature = deduction.context.get<types::SignatureOf>(instruction.item);
  return signature && signature->tmln.has_value() &&
         std::find(deduction.called.begin(), deduction.called.end(),
                   class_of(deduction.context, signature->tmln)) != deduction.called.end();
}

/// The steps of the function in front of `until` (of all blocks up to the end without one), and
/// those behind it.
static auto steps_before(const TimelineDeduction& deduction, InstructionId until)
    -> std::vector<InstructionId> {
  std::vector<InstructionId> result;
  BlockId block = deduction.block;
  while (block.has_value()) {
    const hir::Block& data = deduction.function.blocks[block];
    auto end = std::find(data.instructions.begin(), data.instructions.end(), until);
    for (auto it = end; it != data.instructions.begin();) {
      if (is_device_step(deduction, *--it)) {
        result.push_back(*it);
      }
    }
    block = data.predecessors.empty() ? BlockId() : data.predecessors[0];
  }
  std::reverse(result.begin(), result.end());
  return result;
}

static auto steps_behind(const TimelineDeduction& deduction, InstructionId from)
    -> std::vector<InstructionId> {
  std::vector<InstructionId> result;
  BlockId block = deduction.block;
  bool is_behind = false;
  while (block.has_value()) {
    const hir::Block& data = deduction.function.blocks[block];
    for (InstructionId id : data.instructions) {
      if (is_behind && is_device_step(deduction, id)) {
        result.push_back(id);
      }
      is_behind = is_behind || id == from;
    }
    const auto next = hir::successors(data.terminator);
    block = next.empty() ? BlockId() : next[0];
  }
  return result;
}

/// The function need not do what it already reached: neither what is `done` nor its operands.
static auto open_steps(const TimelineDeduction& deduction, std::span<const InstructionId> done)
    -> std::vector<SpecNodeId> {
  BitSet is_done(deduction.timeline.nodes.size());
  auto mark = [&](std::vector<SpecNodeId> to_do, bool is_past) {
    while (!to_do.empty()) {
      const SpecNodeId node = to_do.back();
      to_do.pop_back();
      if (!node.has_value() || is_done.contains(node.index)) {
        continue;
      }
      is_done.insert(node.index);
      // What was done early has not come after all that the timeline has in front of it.
      if (is_past || !deduction.is_early.contains(node.index)) {
        to_do.insert(to_do.end(), deduction.timeline.children(node).begin(),
                     deduction.timeline.children(node).end());
      }
    }
  };
  mark({deduction.state.event}, true);
  mark(deduction.result.of_value, false);
  for (InstructionId id : done) {
    mark({deduction.result.of_instruction[id.index]}, false);
  }
  std::vector<SpecNodeId> result;
  for (SpecNodeId step : deduction.order.steps) {
    if (!is_done.contains(step.index) && !deduction.is_excused.contains(step.index) &&
        deduction.order.is_needed.contains(step.index)) {
      result.push_back(step);
    }
  }
  return result;
}

/// Could `id` be `step`, if that came next?
static auto is_like(const TimelineDeduction& deduction, InstructionId id, SpecNodeId step) -> bool {
  const Instruction& instruction = deduction.function.instructions[id];
  const SpecNode& data = deduction.timeline.nodes[step];
  auto operand_may_be = [&](SpecNodeId wanted) {
    const SpecNodeId known = node(deduction, deduction.function.operands_of(instruction)[0]);
    return !known.has_value() || known == wanted;
  };
  if (data.term.kind == TermKind::EncodeEvent) {
    return instruction.opcode == Opcode::EncodeBegin;
  }
  if (data.term.kind == TermKind::SubmitEvent) {
    return instruction.opcode == Opcode::Submit && operand_may_be(data.children[0]);
  }
  if (data.term.kind == TermKind::SyncEvent) {
    return instruction.opcode == Opcode::Await && operand_may_be(data.children[1]);
  }
  if (data.term.kind != TermKind::Call || instruction.opcode != Opcode::Call) {
    return false;
  }
  const auto signature = deduction.context.get<types::SignatureOf>(instruction.item);
  return signature && signature->tmln.has_value() &&
         class_of(deduction.context, signature->tmln) == data.term.item;
}

static auto could_be(const TimelineDeduction& deduction, InstructionId id,
                     const std::vector<SpecNodeId>& open) -> SpecNodeId {
  auto found = std::find_if(open.begin(), open.end(),
                            [&](SpecNodeId step) { return is_like(deduction, id, step); });
  return found == open.end() ? SpecNodeId() : *found;
}

/// What the timeline has next: a step behind the current event, or what that one waits for.
static auto wanted_step(const TimelineDeduction& deduction, const std::vector<SpecNodeId>& open,
                        InstructionId id) -> SpecNodeId {
  const auto next = std::find_if(open.begin(), open.end(), [&](SpecNodeId step) {
    return event_after(deduction.timeline, step).has_value() &&
           deduction.timeline.children(step)[0] == deduction.state.event;
  });
  if (next == open.end()) {
    return open.empty() ? SpecNodeId() : open[0];
  }
  if (deduction.timeline.nodes[*next].term.kind == TermKind::SyncEvent) {
    const SpecNodeId future = deduction.timeline.children(*next)[1];
    const bool is_open = std::find(open.begin(), open.end(), future) != open.end();
    if (is_open && (!id.has_value() || !is_done_later(deduction, future, id))) {
      return future;
    }
  }
  return *next;
}

/// Are there at least as many steps of its kind behind `id` as are open?
static auto is_one_too_many(const TimelineDeduction& deduction, InstructionId id,
                            const std::vector<SpecNodeId>& open) -> bool {
  const Opcode opcode = deduction.function.instructions[id].opcode;
  if (opcode != Opcode::EncodeBegin) {
    return false;
  }
  const auto n_open = std::count_if(open.begin(), open.end(), [&](SpecNodeId step) {
    return deduction.timeline.nodes[step].term.kind == TermKind::EncodeEvent;
  });
  const std::vector<InstructionId> behind = steps_behind(deduction, id);
  return std::count_if(behind.begin(), behind.end(), [&](InstructionId later) {
           return deduction.function.instructions[later].opcode == opcode;
         }) >= n_open;
}

/// Is `step` done behind `id`, or `id` one step of its kind too many?
static auto is_done_later(const TimelineDeduction& deduction, SpecNodeId step, InstructionId id)
    -> bool {
  const std::vector<InstructionId> behind = steps_behind(deduction, id);
  const TermKind kind = deduction.timeline.nodes[step].term.kind;
  if (kind == TermKind::EncodeEvent) {
    // One encoding is like another: are there enough for all that are open?
    const std::vector<SpecNodeId> open = open_steps(deduction, steps_before(deduction, id));
    const auto n_open = std::count_if(open.begin(), open.end(), [&](SpecNodeId other) {
      return deduction.timeline.nodes[other].term.kind == kind;
    });
    const auto n_behind = std::count_if(behind.begin(), behind.end(), [&](InstructionId later) {
      return deduction.function.instructions[later].opcode == Opcode::EncodeBegin;
    });
    const bool is_one_itself = deduction.function.instructions[id].opcode == Opcode::EncodeBegin;
    return n_behind + (is_one_itself ? 1 : 0) >= n_open;
  }
  // A future in flight is not one that is submitted later.
  const SpecNodeId future =
      kind == TermKind::SyncEvent ? deduction.timeline.children(step)[1] : SpecNodeId();
  const bool is_in_flight =
      std::any_of(deduction.state.in_flight.begin(), deduction.state.in_flight.end(),
                  [&](const InFlight& one) { return node(deduction, one.future) == future; });
  return std::any_of(behind.begin(), behind.end(), [&](InstructionId later) {
    if (!is_like(deduction, later, step)) {
      return false;
    }
    return !is_in_flight ||
           node(deduction, deduction.function.operands_of(
                               deduction.function.instructions[later])[0]) == future;
  });
}

/// `id` is nothing that the timeline has right here.
void mismatch(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  std::span<const hir::ValueId> operands = deduction.function.operands_of(instruction);
  const bool is_use = instruction.opcode == Opcode::Submit || instruction.opcode == Opcode::Await;
  if (is_use && is_spent(deduction, operands[0])) {
    deduction.is_over = true;  // used twice, which is reported where uses are counted
    return;
  }
  const std::vector<SpecNodeId> open = open_steps(deduction, steps_before(deduction, id));
  TimelineProblem problem;
  problem.node = instruction.node;
  problem.wanted = wanted_step(deduction, open, id);
  problem.found = could_be(deduction, id, open);
  const bool is_open = problem.found.has_value() && problem.found != problem.wanted;
  if (is_open && !is_done_later(deduction, problem.wanted, id)) {
    problem.kind = ProblemKind::Missing;
    const SpecNodeId wanted = problem.wanted;
    missing(deduction, std::move(problem), wanted, id);
    step(deduction, id);
    return;
  }
  if (is_open && !is_one_too_many(deduction, id, open)) {
    const SpecNodeId found = problem.found;
    problem.kind = ProblemKind::OutOfOrder;
    problem.rows = rows(deduction, id, problem.wanted);
    if (!deduction.is_late.contains(problem.wanted.index)) {
      deduction.is_late.insert(problem.wanted.index);
      fail(deduction, std::move(problem));
    }
    take_early(deduction, found, id);
    return;
  }
  if (instruction.opcode == Opcode::Await && !next_steps(deduction, TermKind::SyncEvent).empty()) {
    // A wait is right here, but for another future.
    const SpecNodeId step = next_steps(deduction, TermKind::SyncEvent)[0];
    problem.kind = ProblemKind::OtherHandle;
    problem.wanted = deduction.timeline.children(step)[1];
    problem.found = node(deduction, operands[0]);
    problem.rows = rows(deduction, id, step);
    exchange(deduction, problem.wanted, problem.found);
    fail(deduction, std::move(problem));
    deduction.spent_in[operands[0].index] = deduction.block;
    land(deduction, operands[0]);
    take(deduction, step, id);
    return;
  }
  problem.found = {};
  problem.rows = rows(deduction, id, problem.wanted);
  fail(deduction, std::move(problem));
  take_surplus(deduction, id);
}

/// Reports that `wanted` is not done at `problem`, and skips it.
static void missing(TimelineDeduction& deduction, TimelineProblem problem, SpecNodeId wanted,
                    InstructionId id) {
  const bool is_elsewhere = deduction.missing_before != id || deduction.is_work_missing == false;
  if (deduction.missing_before != id) {
    deduction.missing_before = id;
    deduction.is_work_missing = false;
  }
  const SpecNode& data = deduction.timeline.nodes[wanted];
  const bool is_work = data.term.kind == TermKind::EncodeEvent || data.term.kind == TermKind::Call;
  // All the work that is missing in one place is one mistake.
  if (!is_work || is_elsewhere) {
    problem.rows = rows(deduction, id, wanted);
    fail(deduction, std::move(problem));
  }
  deduction.is_work_missing = deduction.is_work_missing || is_work;
  excuse(deduction, wanted);
  pass_over(deduction, wanted);
}

/// A step beyond the end of the timeline is one too many.
static auto surplus_at_end(TimelineDeduction& deduction, std::span<const InstructionId> done)
    -> bool {
  for (InstructionId id : done) {
    const SpecNodeId step = deduction.result.of_instruction[id.index];
    if (step.has_value() && event_after(deduction.timeline, step).has_value() &&
        !deduction.order.is_needed.contains(step.index)) {
      TimelineProblem problem;
      problem.node = deduction.function.instructions[id].node;
      problem.found = step;
      problem.rows = rows(deduction, id, {});
      fail(deduction, std::move(problem));
      return true;
    }
  }
  return false;
}

/// The function ends at another event than the timeline.
void missing_at_end(TimelineDeduction& deduction, SpecNodeId wanted_event) {
  const std::vector<InstructionId> done = steps_before(deduction, {});
  if (surplus_at_end(deduction, done)) {
    return;
  }
  const hir::Block& last =
      deduction.function.blocks[{static_cast<uint32_t>(deduction.function.blocks.size() - 1)}];
  deduction.missing_before = {};
  deduction.is_work_missing = false;
  bool is_first = deduction.result.problems.empty();
  while (deduction.state.event != wanted_event) {
    const std::vector<SpecNodeId> open = open_steps(deduction, done);
    if (open.empty() && !is_first) {
      return;
    }
    TimelineProblem problem;
    problem.kind = ProblemKind::Missing;
    problem.wanted = open.empty() ? wanted_event : wanted_step(deduction, open, {});
    problem.node = last.terminator.node;
    // Of an encoder that comes in, or that has no name, nothing here was begun.
    if (deduction.timeline.nodes[problem.wanted].term.kind == TermKind::SubmitEvent) {
      const std::span<const SpecNodeId> begun =
          deduction.timeline.children(deduction.timeline.children(problem.wanted)[0]);
      for (InstructionId id : done) {
        if (!begun.empty() && deduction.result.of_instruction[id.index] == begun[0]) {
          problem.other_node = deduction.function.instructions[id].node;
        }
      }
    }
    const SpecNodeId wanted = problem.wanted;
    missing(deduction, std::move(problem), wanted, {});
    is_first = false;
  }
}

/// Two paths to `join` end at other events, or with another encoder or future.
void paths_differ(TimelineDeduction& deduction, BlockId join, SpecNodeId first, SpecNodeId second) {
  TimelineProblem problem;
  problem.kind = ProblemKind::PathsDiffer;
  problem.wanted = first;
  problem.found = second;
  const BlockId split = deduction.split_of[join.index];
  std::array<std::vector<InstructionId>, 2> paths;
  if (split.has_value()) {
    problem.node = deduction.function.blocks[split].terminator.node;
    for (size_t i = 0; i < 2; ++i) {
      for (BlockId block = deduction.function.blocks[join].predecessors[i];
           block.has_value() && block != split;) {
        const hir::Block& data = deduction.function.blocks[block];
        for (auto it = data.instructions.rbegin(); it != data.instructions.rend(); ++it) {
          if (is_device_step(deduction, *it)) {
            paths[i].insert(paths[i].begin(), *it);
          }
        }
        block = data.predecessors.empty() ? BlockId() : data.predecessors[0];
      }
    }
  }
  bool is_alike = true;
  for (size_t i = 0; i < std::max(paths[0].size(), paths[1].size()); ++i) {
    TimelineProblem::Row row;
    row.left =
        i < paths[0].size() ? deduction.function.instructions[paths[0][i]].node : hir::kNoNode;
    row.node =
        i < paths[1].size() ? deduction.function.instructions[paths[1][i]].node : hir::kNoNode;
    row.is_different = is_alike && !(i < paths[0].size() && i < paths[1].size() &&
                                     deduction.result.of_instruction[paths[0][i].index] ==
                                         deduction.result.of_instruction[paths[1][i].index]);
    is_alike = is_alike && !row.is_different;
    problem.rows.push_back(row);
  }
  fail(deduction, std::move(problem));
  for (const std::vector<InstructionId>& path : paths) {
    for (InstructionId id : path) {
      for (uint32_t v = deduction.function.instructions[id].results.begin;
           v < deduction.function.instructions[id].results.end; ++v) {
        excuse_users(deduction, node(deduction, {v}));
      }
    }
  }
  excuse_users(deduction, first);
  excuse_users(deduction, second);
}

/// What went well, the step that did not, and what was still to come on both sides.
auto rows(const TimelineDeduction& deduction, InstructionId id, SpecNodeId wanted)
    -> std::vector<TimelineProblem::Row> {
  constexpr size_t kBefore = 6;
  constexpr size_t kBehind = 4;
  std::vector<TimelineProblem::Row> result;
  const std::vector<InstructionId> done = steps_before(deduction, id);
  for (size_t i = done.size() > kBefore ? done.size() - kBefore : 0; i < done.size(); ++i) {
    TimelineProblem::Row row;
    row.spec = deduction.result.of_instruction[done[i].index];
    row.node = deduction.function.instructions[done[i]].node;
    result.push_back(row);
  }
  TimelineProblem::Row differing;
  differing.spec = wanted;
  differing.node = id.has_value() ? deduction.function.instructions[id].node : hir::kNoNode;
  differing.is_different = true;
  result.push_back(differing);
  std::vector<SpecNodeId> open = open_steps(deduction, done);
  std::erase(open, wanted);
  const std::vector<InstructionId> behind =
      id.has_value() ? steps_behind(deduction, id) : std::vector<InstructionId>();
  for (size_t i = 0; i < std::min(std::max(open.size(), behind.size()), kBehind); ++i) {
    TimelineProblem::Row row;
    row.spec = i < open.size() ? open[i] : SpecNodeId();
    row.node = i < behind.size() ? deduction.function.instructions[behind[i]].node : hir::kNoNode;
    result.push_back(row);
  }
  return result;
}

}  // namespace tacet::infer
