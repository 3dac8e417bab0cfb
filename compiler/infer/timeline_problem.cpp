#include <algorithm>

#include "compiler/infer/timeline_deduction.h"
#include "compiler/types/queries.h"

/// Which mistake it is that the walk came upon. All of this runs once at most.
namespace tacet::infer {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;

void TimelineDeduction::fail(TimelineProblem problem) {
  if (!is_over_) {
    blame_call(problem);
    result_.problems.push_back(std::move(problem));
    is_over_ = true;
  }
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
  switch (instruction.opcode) {
    case Opcode::EncodeBegin:
    case Opcode::Submit:
    case Opcode::Await:
      return true;
    case Opcode::Call: {
      if (result_.of_instruction[id.index].has_value()) {
        return true;
      }
      const auto signature = context_.get<types::SignatureOf>(instruction.item);
      return signature && signature->tmln.has_value() &&
             std::find(called_.begin(), called_.end(), class_of(context_, signature->tmln)) !=
                 called_.end();
    }
    default:
      return false;
  }
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
  std::vector<SpecNodeId> to_do = {state_.event};
  to_do.insert(to_do.end(), result_.of_value.begin(), result_.of_value.end());
  for (InstructionId id : done) {
    to_do.push_back(result_.of_instruction[id.index]);
  }
  BitSet is_done(timeline_.nodes.size());
  while (!to_do.empty()) {
    const SpecNodeId node = to_do.back();
    to_do.pop_back();
    if (node.has_value() && !is_done.contains(node.index)) {
      is_done.insert(node.index);
      to_do.insert(to_do.end(), timeline_.children(node).begin(), timeline_.children(node).end());
    }
  }
  std::vector<SpecNodeId> result;
  for (SpecNodeId step : order_.steps) {
    if (!is_done.contains(step.index) && order_.is_needed.contains(step.index)) {
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
  switch (data.term.kind) {
    case TermKind::EncodeEvent:
      return instruction.opcode == Opcode::EncodeBegin;
    case TermKind::SubmitEvent:
      return instruction.opcode == Opcode::Submit && operand_may_be(data.children[0]);
    case TermKind::SyncEvent:
      return instruction.opcode == Opcode::Await && operand_may_be(data.children[1]);
    case TermKind::Call: {
      const auto signature = instruction.opcode == Opcode::Call
                                 ? context_.get<types::SignatureOf>(instruction.item)
                                 : nullptr;
      return signature && signature->tmln.has_value() &&
             class_of(context_, signature->tmln) == data.term.item;
    }
    default:
      return false;
  }
}

auto TimelineDeduction::could_be(InstructionId id, const std::vector<SpecNodeId>& open) const
    -> SpecNodeId {
  auto found =
      std::find_if(open.begin(), open.end(), [&](SpecNodeId step) { return is_like(id, step); });
  return found == open.end() ? SpecNodeId() : *found;
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
  problem.wanted = open.empty() ? SpecNodeId() : open[0];
  problem.found = could_be(id, open);
  if (problem.found.has_value() && problem.wanted.has_value()) {
    const std::vector<InstructionId> behind = steps_behind(id);
    const bool is_done_later = std::any_of(behind.begin(), behind.end(), [&](InstructionId later) {
      return is_like(later, problem.wanted);
    });
    problem.kind = is_done_later ? Kind::OutOfOrder : Kind::Missing;
  } else if (instruction.opcode == Opcode::Await && !next_steps(TermKind::SyncEvent).empty()) {
    // A wait is right here, but for another future.
    problem.kind = Kind::OtherHandle;
    problem.wanted = timeline_.children(next_steps(TermKind::SyncEvent)[0])[1];
    problem.found = node(operands[0]);
    problem.rows = rows(id, next_steps(TermKind::SyncEvent)[0]);
    fail(std::move(problem));
    return;
  }
  problem.rows = rows(id, problem.wanted);
  fail(std::move(problem));
}

/// The function ends at another event than the timeline.
void TimelineDeduction::missing_at_end(SpecNodeId wanted_event) {
  const std::vector<InstructionId> done = steps_before({});
  TimelineProblem problem;
  // A step beyond the end of the timeline is one too many.
  for (InstructionId id : done) {
    const SpecNodeId step = result_.of_instruction[id.index];
    if (step.has_value() && event_after(timeline_, step).has_value() &&
        !order_.is_needed.contains(step.index)) {
      problem.node = function_.instructions[id].node;
      problem.found = step;
      problem.rows = rows(id, {});
      fail(std::move(problem));
      return;
    }
  }
  const std::vector<SpecNodeId> open = open_steps(done);
  problem.kind = Kind::Missing;
  problem.wanted = open.empty() ? wanted_event : open[0];
  const hir::Block& last = function_.blocks[{static_cast<uint32_t>(function_.blocks.size() - 1)}];
  problem.node = last.terminator.node;
  if (timeline_.nodes[problem.wanted].term.kind == TermKind::SubmitEvent) {
    for (InstructionId id : done) {
      if (result_.of_instruction[id.index] ==
          timeline_.children(timeline_.children(problem.wanted)[0])[0]) {
        problem.other_node = function_.instructions[id].node;
      }
    }
  }
  problem.rows = rows({}, problem.wanted);
  fail(std::move(problem));
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
