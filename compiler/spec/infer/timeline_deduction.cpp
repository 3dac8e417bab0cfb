#include "compiler/spec/infer/timeline_deduction.h"

#include <algorithm>

#include "compiler/front/names/importers.h"
#include "compiler/front/types/queries.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

TimelineDeduction::TimelineDeduction(query::Context& context, const hir::Function& function,
                                     const SpecGraph& timeline, const syntax::Tree& tree,
                                     const Interface& interface, TimelineQuotients& result)
    : context_(context),
      function_(function),
      timeline_(timeline),
      tree_(tree),
      interface_(interface),
      result_(result),
      types_(context.service<types::TypeStore>()),
      order_(order_of(timeline)),
      at_end_(function.blocks.size()),
      split_of_(function.blocks.size()),
      spent_in_(function.values.size()),
      is_behind_step_(function.instructions.size()),
      ends_otherwise_(function.blocks.size()),
      is_early_(timeline.nodes.size()),
      is_late_(timeline.nodes.size()),
      is_excused_(timeline.nodes.size()),
      is_told_(timeline.nodes.size()),
      is_surplus_(function.values.size()) {
  for (SpecNodeId step : order_.steps) {
    if (timeline.nodes[step].term.kind == TermKind::Call) {
      called_.push_back(timeline.nodes[step].term.item);
    }
  }
  result_.of_value.resize(function.values.size());
  result_.of_instruction.resize(function.instructions.size());
  result_.event_at_begin.resize(function.blocks.size());
  result_.event_after.resize(function.instructions.size());
}

void TimelineDeduction::run() {
  read_tags();
  if (!check_ports()) {
    return;
  }
  const auto n_blocks = static_cast<uint32_t>(function_.blocks.size());
  for (uint32_t i = 0; i < n_blocks && !is_over_; ++i) {
    block_ = {i};
    begin(block_);
    result_.event_at_begin[i] = state_.event;
    for (InstructionId id : function_.blocks[block_].instructions) {
      if (!is_over_) {
        step(id);
        result_.event_after[id.index] = state_.event;
      }
    }
    if (!is_over_ && i + 1 < n_blocks) {
      check_said_ends();
    }
    at_end_[i] = state_;
  }
  if (!is_over_) {
    finish();
  }
  if (!is_over_ && result_.problems.empty()) {
    check_plain_tags();
  }
}

auto TimelineDeduction::is_handle(ValueId value) const -> bool {
  return value.has_value() && infer::is_handle(types_, function_.values[value].type);
}

auto TimelineDeduction::is_future(ValueId value) const -> bool {
  return value.has_value() && types_[function_.values[value].type].kind == types::TypeKind::Future;
}

/// The state where the block begins: what all ways to it have in common.
void TimelineDeduction::begin(hir::BlockId block) {
  const hir::Block& data = function_.blocks[block];
  said_end_ = {};
  if (data.terminator.kind == hir::TerminatorKind::Branch) {
    split_of_[data.terminator.join.index] = block;
  }
  if (data.predecessors.empty()) {
    state_ = {.event = timeline_.inputs.empty() ? SpecNodeId() : timeline_.inputs[0],
              .may_jump = true};
    return;
  }
  state_ = at_end_[data.predecessors[0].index];
  state_.may_jump = false;
  for (size_t i = 1; i < data.predecessors.size() && !is_over_; ++i) {
    const State& other = at_end_[data.predecessors[i].index];
    if (other.event != state_.event) {
      const bool is_told = ends_otherwise_.contains(data.predecessors[0].index) ||
                           ends_otherwise_.contains(data.predecessors[i].index);
      if (!is_told) {
        ways_differ(block, state_.event, other.event);
      }
      state_.event = later(state_.event, other.event);
    }
    keep_common(other.under_way);
    if (!state_.stray_call.has_value()) {
      state_.stray_call = other.stray_call;
    }
  }
  skip_done();
}

/// Whichever of two events comes later.
auto TimelineDeduction::later(SpecNodeId one, SpecNodeId other) const -> SpecNodeId {
  auto turn = [&](SpecNodeId event) {
    const auto found = std::find_if(order_.steps.begin(), order_.steps.end(), [&](SpecNodeId step) {
      return event_after(timeline_, step) == event;
    });
    return found == order_.steps.end() ? ptrdiff_t{-1} : found - order_.steps.begin();
  };
  return turn(one) < turn(other) ? other : one;
}

/// What is under way on another way too: the same value, or the same future of the timeline, which
/// is another value that nobody uses behind the join.
void TimelineDeduction::keep_common(std::span<const UnderWay> others) {
  std::erase_if(state_.under_way, [&](UnderWay& one) {
    auto is_same = [&](const UnderWay& other) { return other.future == one.future; };
    if (std::any_of(others.begin(), others.end(), is_same)) {
      return false;
    }
    one.is_certain = false;
    return !node(one.future).has_value() ||
           std::none_of(others.begin(), others.end(), [&](const UnderWay& other) {
             return node(other.future) == node(one.future);
           });
  });
}

void TimelineDeduction::step(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Parameter) {
    parameter(id);
  } else if (opcode == Opcode::EncodeBegin) {
    encode_begin(id);
  } else if (opcode == Opcode::Submit) {
    submit(id);
  } else if (opcode == Opcode::Await) {
    await(id);
  } else if (opcode == Opcode::Call) {
    call(id);
  } else if (opcode == Opcode::Annotate) {
    annotate(id);
  } else if (opcode == Opcode::Phi) {
    phi(id, block_);
  } else if (opcode == Opcode::Copy) {
    const ValueId copied = function_.operands_of(instruction)[0];
    const ValueId copy = function_.result_of(instruction);
    if (is_handle(copied)) {
      for (UnderWay& one : state_.under_way) {
        one.future = one.future == copied ? copy : one.future;
      }
      spent_in_[copy.index] = spent_in_[copied.index];
      if (is_surplus(copied)) {
        is_surplus_.insert(copy.index);
      }
      settle(copy, node(copied), instruction.node);
    }
  } else if (opcode == Opcode::Hole) {
    // Anything may happen where statements are missing.
    const bool is_value = instruction.is_expression && instruction.results.size() == 1 &&
                          !is_handle(function_.result_of(instruction));
    is_over_ = is_over_ || !is_value;
  }
}

/// Says that `value` is `node` of the timeline, or whatever its tag says.
void TimelineDeduction::settle(ValueId value, SpecNodeId node, uint32_t at) {
  if (!is_handle(value) || is_surplus(value)) {
    return;
  }
  if (const Tag* tag = tag_of(value)) {
    const SpecNodeId said = timeline_.find(tag->names[0]);
    if (node.has_value() && said != node) {
      wrong_tag(*tag, node);
    } else {
      node = said;
    }
  }
  SpecNodeId& known = result_.of_value[value.index];
  if (known.has_value() && node.has_value() && known != node) {
    TimelineProblem problem;
    problem.kind = Kind::OtherHandle;
    problem.wanted = node;
    problem.found = known;
    problem.node = at;
    exchange(problem.wanted, problem.found);
    fail(std::move(problem));
    return;
  }
  known = node.has_value() ? node : known;
}

/// A future that is under way from here on.
void TimelineDeduction::arrives(ValueId future) {
  if (is_future(future)) {
    state_.under_way.push_back({.future = future});
  }
}

/// Was it submitted or awaited on a way to here already?
auto TimelineDeduction::is_spent(ValueId value) const -> bool {
  const hir::BlockId where = spent_in_[value.index];
  if (!where.has_value()) {
    return false;
  }
  // A block comes after those in front of it, so whatever comes before `where` leads away from it.
  std::vector<hir::BlockId> to_do = {block_};
  while (!to_do.empty()) {
    const hir::BlockId block = to_do.back();
    to_do.pop_back();
    if (block == where) {
      return true;
    }
    for (hir::BlockId before : function_.blocks[block].predecessors) {
      if (before.index >= where.index) {
        to_do.push_back(before);
      }
    }
  }
  return false;
}

/// A handle that comes in over several ways is the same on all of them.
void TimelineDeduction::phi(InstructionId id, hir::BlockId block) {
  const Instruction& instruction = function_.instructions[id];
  const ValueId result = function_.result_of(instruction);
  if (!is_handle(result)) {
    return;
  }
  std::span<const ValueId> operands = function_.operands_of(instruction);
  SpecNodeId common;
  bool is_under_way = is_future(result);
  for (size_t i = 0; i < operands.size(); ++i) {
    const SpecNodeId of_way = node(operands[i]);
    if (common.has_value() && of_way.has_value() && common != of_way) {
      ways_differ(block, common, of_way);
      is_surplus_.insert(result.index);
    }
    if (is_surplus(operands[i])) {
      is_surplus_.insert(result.index);
    }
    common = of_way.has_value() ? of_way : common;
    const State& from = at_end_[function_.blocks[block].predecessors[i].index];
    is_under_way =
        is_under_way && std::any_of(from.under_way.begin(), from.under_way.end(),
                                    [&](const UnderWay& one) { return one.future == operands[i]; });
  }
  settle(result, common, instruction.node);
  if (is_under_way && !is_surplus(result)) {
    std::erase_if(state_.under_way, [&](const UnderWay& one) {
      return std::find(operands.begin(), operands.end(), one.future) != operands.end();
    });
    state_.under_way.push_back({.future = result, .is_certain = false});
  }
}

/// The steps of one kind that the timeline has right behind the current event.
auto TimelineDeduction::next_steps(TermKind kind, names::ItemId callee) const
    -> std::vector<SpecNodeId> {
  std::vector<SpecNodeId> result;
  if (!state_.event.has_value()) {
    return result;
  }
  for (SpecNodeId user : timeline_.parents[state_.event.index]) {
    const SpecNode& step = timeline_.nodes[user];
    const bool is_new = std::find(result.begin(), result.end(), user) == result.end();
    if (is_new && step.term.kind == kind && step.children[0] == state_.event &&
        (kind != TermKind::Call || step.term.item == callee)) {
      result.push_back(user);
    }
  }
  return result;
}

/// One of `steps`, which are all possible: the one that a tag names, or else one that the timeline
/// returns something of.
auto TimelineDeduction::pick(std::span<const SpecNodeId> steps, InstructionId id) -> SpecNodeId {
  const Instruction& instruction = function_.instructions[id];
  std::vector<const Tag*> tags;
  std::vector<const Tag*> remarks;  // of plain values, which may be about what is still to come
  if (auto tag = tag_of_instruction_.find(id.index); tag != tag_of_instruction_.end()) {
    tags.push_back(&tag->second);
  }
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    if (const Tag* tag = tag_of({v})) {
      (is_handle({v}) ? tags : remarks).push_back(tag);
    }
  }
  auto is_remarked = [&](SpecNodeId step) {
    return std::any_of(remarks.begin(), remarks.end(),
                       [&](const Tag* tag) { return says(*tag, step); });
  };
  SpecNodeId best;
  for (SpecNodeId step : steps) {
    auto denied =
        std::find_if(tags.begin(), tags.end(), [&](const Tag* tag) { return !says(*tag, step); });
    if (denied == tags.end()) {
      const bool is_better =
          !best.has_value() || (!is_remarked(best) && is_remarked(step)) ||
          (is_remarked(best) == is_remarked(step) && !order_.is_needed.contains(best.index) &&
           order_.is_needed.contains(step.index));
      best = is_better ? step : best;
    } else if (steps.size() == 1) {
      wrong_tag(**denied, step);
      return step;
    }
  }
  if (!best.has_value()) {
    wrong_tag(*tags[0], steps[0]);
    best = steps[0];
  }
  return best;
}

/// `id` is `step`.
void TimelineDeduction::take(SpecNodeId step, InstructionId id) {
  result_.of_instruction[id.index] = step;
  if (const SpecNodeId event = event_after(timeline_, step); event.has_value()) {
    state_.event = event;
    state_.stray_call = {};
    state_.may_jump = false;
    skip_done();
  }
}

void TimelineDeduction::encode_begin(InstructionId id) {
  std::vector<SpecNodeId> steps = next_steps(TermKind::EncodeEvent);
  if (steps.empty()) {
    mismatch(id);
    return;
  }
  std::vector<SpecNodeId> fitting;
  for (SpecNodeId step : steps) {
    const TimelineProblem differing = difference(step);
    if (differing.not_listed.empty() && differing.not_under_way.empty() &&
        differing.strangers.empty()) {
      fitting.push_back(step);
    }
  }
  if (fitting.empty()) {
    TimelineProblem problem = difference(steps[0]);
    problem.node = function_.instructions[id].node;
    problem.rows = rows(id, steps[0]);
    for (const std::vector<SpecNodeId>* told : {&problem.not_listed, &problem.not_under_way}) {
      for (SpecNodeId future : *told) {
        is_told_.insert(future.index);
      }
    }
    fail(std::move(problem));
    fitting = {steps[0]};
  }
  const SpecNodeId step = pick(fitting, id);
  match_futures(step);
  take(step, id);
  settle_results(step, id);
}

void TimelineDeduction::submit(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  const ValueId encoder = function_.operands_of(instruction)[0];
  const ValueId future = function_.result_of(instruction);
  if (is_surplus(encoder)) {
    take_surplus(id);
    return;
  }
  std::vector<SpecNodeId> steps =
      node(encoder).has_value() ? timeline_.parents[node(encoder).index] : order_.steps;
  std::erase_if(steps, [&](SpecNodeId step) {
    return timeline_.nodes[step].term.kind != TermKind::SubmitEvent;
  });
  if (steps.empty() || is_spent(encoder)) {
    mismatch(id);
    return;
  }
  // Of an encoder that nothing is known of, what is done with the future will tell.
  if (node(encoder).has_value() || steps.size() == 1 || tag_of(future) != nullptr ||
      tag_of_instruction_.count(id.index) > 0) {
    const SpecNodeId step = pick(steps, id);
    settle(encoder, timeline_.children(step)[0], instruction.node);
    take(step, id);
    settle(future, step, instruction.node);
  }
  spent_in_[encoder.index] = block_;
  arrives(future);
}

void TimelineDeduction::await(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  const ValueId future = function_.operands_of(instruction)[0];
  if (is_surplus(future)) {
    take_surplus(id);
    return;
  }
  std::vector<SpecNodeId> steps = next_steps(TermKind::SyncEvent);
  std::erase_if(steps, [&](SpecNodeId step) {
    return node(future).has_value() && timeline_.children(step)[1] != node(future);
  });
  if (steps.empty() || is_spent(future)) {
    mismatch(id);
    return;
  }
  const SpecNodeId step = pick(steps, id);
  settle(future, timeline_.children(step)[1], instruction.node);
  spent_in_[future.index] = block_;
  land(future);
  take(step, id);
}

}  // namespace tacet::infer
