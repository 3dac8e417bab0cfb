#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

/// Which mistake it is that the walk came upon. All of this runs once for each.
namespace tacet::infer {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;

void TimelineDeduction::fail(TimelineProblem problem) {
  blame_call(problem);
  result_.problems.push_back(std::move(problem));
}

/// Where a step is missing, a call in its place may be what was meant to do it.
void TimelineDeduction::blame_call(TimelineProblem& problem) const {
  const bool is_missing = problem.kind == Kind::OutOfOrder || problem.kind == Kind::Missing ||
                          problem.kind == Kind::NotMentioned;
  if (!is_missing || !problem.wanted.has_value() || !state_.stray_call.has_value()) {
    return;
  }
  const Instruction& call = function_.instructions[state_.stray_call];
  const auto signature = context_.get<types::SignatureOf>(call.item);
  const auto timeline = signature && signature->tmln.has_value()
                            ? context_.get<SpecificationOf>(signature->tmln)
                            : nullptr;
  if (!timeline || !timeline->graph || is_trivial(*timeline->graph)) {
    return;
  }
  if (timeline_.nodes[problem.wanted].term.kind == TermKind::Call &&
      problem.kind != Kind::OutOfOrder) {
    problem.kind = Kind::OtherCallee;
    problem.node = call.node;
  } else {
    problem.other_node = call.node;
  }
}

/// A step, or something that should be one.
auto TimelineDeduction::is_shown(InstructionId id) const -> bool {
  const Instruction& instruction = function_.instructions[id];
  if (instruction.opcode != Opcode::Call) {
    return instruction.opcode == Opcode::EncodeBegin || instruction.opcode == Opcode::Submit ||
           instruction.opcode == Opcode::Await;
  }
  if (result_.of_instruction[id.index].has_value()) {
    return true;
  }
  const auto signature = context_.get<types::SignatureOf>(instruction.item);
  return signature && signature->tmln.has_value() &&
         std::find(called_.begin(), called_.end(), class_of(context_, signature->tmln)) !=
             called_.end();
}

auto TimelineDeduction::steps_before(InstructionId until) const -> std::vector<InstructionId> {
  std::vector<InstructionId> result;
  BlockId block = block_;
  while (block.has_value()) {
    const hir::Block& data = function_.blocks[block];
    auto end = std::find(data.instructions.begin(), data.instructions.end(), until);
    for (auto it = end; it != data.instructions.begin();) {
      if (is_shown(*--it)) {
        result.push_back(*it);
      }
    }
    block = data.predecessors.empty() ? BlockId() : data.predecessors[0];
  }
  std::reverse(result.begin(), result.end());
  return result;
}

auto TimelineDeduction::steps_behind(InstructionId from) const -> std::vector<InstructionId> {
  std::vector<InstructionId> result;
  BlockId block = block_;
  bool is_behind = false;
  while (block.has_value()) {
    const hir::Block& data = function_.blocks[block];
    for (InstructionId id : data.instructions) {
      if (is_behind && is_shown(id)) {
        result.push_back(id);
      }
      is_behind = is_behind || id == from;
    }
    const auto next = hir::successors(data.terminator);
    block = next.empty() ? BlockId() : next[0];
  }
  return result;
}

/// What the function came to, it need not do: neither what is `done` nor what that takes.
auto TimelineDeduction::open_steps(std::span<const InstructionId> done) const
    -> std::vector<SpecNodeId> {
  BitSet is_done(timeline_.nodes.size());
  auto mark = [&](std::vector<SpecNodeId> to_do, bool is_past) {
    while (!to_do.empty()) {
      const SpecNodeId node = to_do.back();
      to_do.pop_back();
      if (!node.has_value() || is_done.contains(node.index)) {
        continue;
      }
      is_done.insert(node.index);
      // What was done early has not come after all that the timeline has in front of it.
      if (is_past || !is_early_.contains(node.index)) {
        to_do.insert(to_do.end(), timeline_.children(node).begin(), timeline_.children(node).end());
      }
    }
  };
  mark({state_.event}, true);
  mark(result_.of_value, false);
  for (InstructionId id : done) {
    mark({result_.of_instruction[id.index]}, false);
  }
  std::vector<SpecNodeId> result;
  for (SpecNodeId step : order_.steps) {
    if (!is_done.contains(step.index) && !is_excused_.contains(step.index) &&
        order_.is_needed.contains(step.index)) {
      result.push_back(step);
    }
  }
  return result;
}

/// Could `id` be `step`, if that came next?
auto TimelineDeduction::is_like(InstructionId id, SpecNodeId step) const -> bool {
  const Instruction& instruction = function_.instructions[id];
  const SpecNode& data = timeline_.nodes[step];
  auto operand_may_be = [&](SpecNodeId wanted) {
    const SpecNodeId known = node(function_.operands_of(instruction)[0]);
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
  const auto signature = context_.get<types::SignatureOf>(instruction.item);
  return signature && signature->tmln.has_value() &&
         class_of(context_, signature->tmln) == data.term.item;
}

auto TimelineDeduction::could_be(InstructionId id, const std::vector<SpecNodeId>& open) const
    -> SpecNodeId {
  auto found =
      std::find_if(open.begin(), open.end(), [&](SpecNodeId step) { return is_like(id, step); });
  return found == open.end() ? SpecNodeId() : *found;
}

/// What the timeline has next: a step behind the current event, or what that one waits for.
auto TimelineDeduction::wanted_step(const std::vector<SpecNodeId>& open, InstructionId id) const
    -> SpecNodeId {
  const auto next = std::find_if(open.begin(), open.end(), [&](SpecNodeId step) {
    return event_after(timeline_, step).has_value() && timeline_.children(step)[0] == state_.event;
  });
  if (next == open.end()) {
    return open.empty() ? SpecNodeId() : open[0];
  }
  if (timeline_.nodes[*next].term.kind == TermKind::SyncEvent) {
    const SpecNodeId future = timeline_.children(*next)[1];
    const bool is_open = std::find(open.begin(), open.end(), future) != open.end();
    if (is_open && (!id.has_value() || !is_done_later(future, id))) {
      return future;
    }
  }
  return *next;
}

/// Are there at least as many steps of its kind behind `id` as are open?
auto TimelineDeduction::is_one_too_many(InstructionId id, const std::vector<SpecNodeId>& open) const
    -> bool {
  const Opcode opcode = function_.instructions[id].opcode;
  if (opcode != Opcode::EncodeBegin) {
    return false;
  }
  const auto n_open = std::count_if(open.begin(), open.end(), [&](SpecNodeId step) {
    return timeline_.nodes[step].term.kind == TermKind::EncodeEvent;
  });
  const std::vector<InstructionId> behind = steps_behind(id);
  return std::count_if(behind.begin(), behind.end(), [&](InstructionId later) {
           return function_.instructions[later].opcode == opcode;
         }) >= n_open;
}

auto TimelineDeduction::is_done_later(SpecNodeId step, InstructionId id) const -> bool {
  const std::vector<InstructionId> behind = steps_behind(id);
  const TermKind kind = timeline_.nodes[step].term.kind;
  if (kind == TermKind::EncodeEvent) {
    // One encoding is like another: are there enough for all that are open?
    const std::vector<SpecNodeId> open = open_steps(steps_before(id));
    const auto n_open = std::count_if(open.begin(), open.end(), [&](SpecNodeId other) {
      return timeline_.nodes[other].term.kind == kind;
    });
    const auto n_behind = std::count_if(behind.begin(), behind.end(), [&](InstructionId later) {
      return function_.instructions[later].opcode == Opcode::EncodeBegin;
    });
    const bool is_one_itself = function_.instructions[id].opcode == Opcode::EncodeBegin;
    return n_behind + (is_one_itself ? 1 : 0) >= n_open;
  }
  // A future that is under way already is none that is submitted later.
  const SpecNodeId future =
      kind == TermKind::SyncEvent ? timeline_.children(step)[1] : SpecNodeId();
  const bool is_under_way =
      std::any_of(state_.under_way.begin(), state_.under_way.end(),
                  [&](const UnderWay& one) { return node(one.future) == future; });
  return std::any_of(behind.begin(), behind.end(), [&](InstructionId later) {
    if (!is_like(later, step)) {
      return false;
    }
    return !is_under_way || node(function_.operands_of(function_.instructions[later])[0]) == future;
  });
}

/// `id` is nothing that the timeline has right here.
void TimelineDeduction::mismatch(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  std::span<const hir::ValueId> operands = function_.operands_of(instruction);
  const bool is_use = instruction.opcode == Opcode::Submit || instruction.opcode == Opcode::Await;
  if (is_use && is_spent(operands[0])) {
    is_over_ = true;  // used twice, which is told where uses are counted
    return;
  }
  const std::vector<SpecNodeId> open = open_steps(steps_before(id));
  TimelineProblem problem;
  problem.node = instruction.node;
  problem.wanted = wanted_step(open, id);
  problem.found = could_be(id, open);
  const bool is_open = problem.found.has_value() && problem.found != problem.wanted;
  if (is_open && !is_done_later(problem.wanted, id)) {
    problem.kind = Kind::Missing;
    const SpecNodeId wanted = problem.wanted;
    missing(std::move(problem), wanted, id);
    step(id);
    return;
  }
  if (is_open && !is_one_too_many(id, open)) {
    const SpecNodeId found = problem.found;
    problem.kind = Kind::OutOfOrder;
    problem.rows = rows(id, problem.wanted);
    if (!is_late_.contains(problem.wanted.index)) {
      is_late_.insert(problem.wanted.index);
      fail(std::move(problem));
    }
    take_early(found, id);
    return;
  }
  if (instruction.opcode == Opcode::Await && !next_steps(TermKind::SyncEvent).empty()) {
    // A wait is right here, but for another future.
    const SpecNodeId step = next_steps(TermKind::SyncEvent)[0];
    problem.kind = Kind::OtherHandle;
    problem.wanted = timeline_.children(step)[1];
    problem.found = node(operands[0]);
    problem.rows = rows(id, step);
    exchange(problem.wanted, problem.found);
    fail(std::move(problem));
    spent_in_[operands[0].index] = block_;
    land(operands[0]);
    take(step, id);
    return;
  }
  problem.found = {};
  problem.rows = rows(id, problem.wanted);
  fail(std::move(problem));
  take_surplus(id);
}

void TimelineDeduction::missing(TimelineProblem problem, SpecNodeId wanted, InstructionId id) {
  const bool is_elsewhere = missing_before_ != id || is_work_missing_ == false;
  if (missing_before_ != id) {
    missing_before_ = id;
    is_work_missing_ = false;
  }
  const SpecNode& data = timeline_.nodes[wanted];
  const bool is_work = data.term.kind == TermKind::EncodeEvent || data.term.kind == TermKind::Call;
  // All the work that is missing in one place is one mistake.
  if (!is_work || is_elsewhere) {
    problem.rows = rows(id, wanted);
    fail(std::move(problem));
  }
  is_work_missing_ = is_work_missing_ || is_work;
  excuse(wanted);
  pass_over(wanted);
}

/// A step beyond the end of the timeline is one too many.
auto TimelineDeduction::surplus_at_end(std::span<const InstructionId> done) -> bool {
  for (InstructionId id : done) {
    const SpecNodeId step = result_.of_instruction[id.index];
    if (step.has_value() && event_after(timeline_, step).has_value() &&
        !order_.is_needed.contains(step.index)) {
      TimelineProblem problem;
      problem.node = function_.instructions[id].node;
      problem.found = step;
      problem.rows = rows(id, {});
      fail(std::move(problem));
      return true;
    }
  }
  return false;
}

/// The function ends at another event than the timeline.
void TimelineDeduction::missing_at_end(SpecNodeId wanted_event) {
  const std::vector<InstructionId> done = steps_before({});
  if (surplus_at_end(done)) {
    return;
  }
  const hir::Block& last = function_.blocks[{static_cast<uint32_t>(function_.blocks.size() - 1)}];
  missing_before_ = {};
  is_work_missing_ = false;
  bool is_first = result_.problems.empty();
  while (state_.event != wanted_event) {
    const std::vector<SpecNodeId> open = open_steps(done);
    if (open.empty() && !is_first) {
      return;
    }
    TimelineProblem problem;
    problem.kind = Kind::Missing;
    problem.wanted = open.empty() ? wanted_event : wanted_step(open, {});
    problem.node = last.terminator.node;
    // Of an encoder that comes in, or that has no name, nothing here was begun.
    if (timeline_.nodes[problem.wanted].term.kind == TermKind::SubmitEvent) {
      const std::span<const SpecNodeId> begun =
          timeline_.children(timeline_.children(problem.wanted)[0]);
      for (InstructionId id : done) {
        if (!begun.empty() && result_.of_instruction[id.index] == begun[0]) {
          problem.other_node = function_.instructions[id].node;
        }
      }
    }
    const SpecNodeId wanted = problem.wanted;
    missing(std::move(problem), wanted, {});
    is_first = false;
  }
}

/// Two ways to `join` end at other events, or with another encoder or future.
void TimelineDeduction::ways_differ(BlockId join, SpecNodeId first, SpecNodeId second) {
  TimelineProblem problem;
  problem.kind = Kind::WaysDiffer;
  problem.wanted = first;
  problem.found = second;
  const BlockId split = split_of_[join.index];
  std::array<std::vector<InstructionId>, 2> ways;
  if (split.has_value()) {
    problem.node = function_.blocks[split].terminator.node;
    for (size_t i = 0; i < 2; ++i) {
      for (BlockId block = function_.blocks[join].predecessors[i];
           block.has_value() && block != split;) {
        const hir::Block& data = function_.blocks[block];
        for (auto it = data.instructions.rbegin(); it != data.instructions.rend(); ++it) {
          if (is_shown(*it)) {
            ways[i].insert(ways[i].begin(), *it);
          }
        }
        block = data.predecessors.empty() ? BlockId() : data.predecessors[0];
      }
    }
  }
  bool is_alike = true;
  for (size_t i = 0; i < std::max(ways[0].size(), ways[1].size()); ++i) {
    TimelineProblem::Row row;
    row.left = i < ways[0].size() ? function_.instructions[ways[0][i]].node : hir::kNoNode;
    row.node = i < ways[1].size() ? function_.instructions[ways[1][i]].node : hir::kNoNode;
    row.is_different = is_alike && !(i < ways[0].size() && i < ways[1].size() &&
                                     result_.of_instruction[ways[0][i].index] ==
                                         result_.of_instruction[ways[1][i].index]);
    is_alike = is_alike && !row.is_different;
    problem.rows.push_back(row);
  }
  fail(std::move(problem));
  for (const std::vector<InstructionId>& way : ways) {
    for (InstructionId id : way) {
      for (uint32_t v = function_.instructions[id].results.begin;
           v < function_.instructions[id].results.end; ++v) {
        excuse_users(node({v}));
      }
    }
  }
  excuse_users(first);
  excuse_users(second);
}

/// What went well, the step that did not, and what was still to come on both sides.
auto TimelineDeduction::rows(InstructionId id, SpecNodeId wanted) const
    -> std::vector<TimelineProblem::Row> {
  constexpr size_t kBefore = 6;
  constexpr size_t kBehind = 4;
  std::vector<TimelineProblem::Row> result;
  const std::vector<InstructionId> done = steps_before(id);
  for (size_t i = done.size() > kBefore ? done.size() - kBefore : 0; i < done.size(); ++i) {
    TimelineProblem::Row row;
    row.spec = result_.of_instruction[done[i].index];
    row.node = function_.instructions[done[i]].node;
    result.push_back(row);
  }
  TimelineProblem::Row differing;
  differing.spec = wanted;
  differing.node = id.has_value() ? function_.instructions[id].node : hir::kNoNode;
  differing.is_different = true;
  result.push_back(differing);
  std::vector<SpecNodeId> open = open_steps(done);
  std::erase(open, wanted);
  const std::vector<InstructionId> behind =
      id.has_value() ? steps_behind(id) : std::vector<InstructionId>();
  for (size_t i = 0; i < std::min(std::max(open.size(), behind.size()), kBehind); ++i) {
    TimelineProblem::Row row;
    row.spec = i < open.size() ? open[i] : SpecNodeId();
    row.node = i < behind.size() ? function_.instructions[behind[i]].node : hir::kNoNode;
    result.push_back(row);
  }
  return result;
}

}  // namespace tacet::infer
