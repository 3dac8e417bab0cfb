#include "compiler/run/cps/event_check.h"

#include <algorithm>

namespace tacet::cps {

EventChecker::EventChecker(const Program& program, const Funclet& funclet)
    : program_(program), funclet_(funclet) {
  const SpecId timeline = program.functions[funclet.function].timeline;
  timeline_ = timeline.has_value() ? &program.specs[timeline] : nullptr;
  event_ = node(funclet.event);
  want(timeline_ == nullptr || event_.has_value(), "it starts at no event");
}

auto EventChecker::node(Quotient quotient) const -> NodeId {
  return timeline_ == nullptr ? NodeId() : node_of(*timeline_, quotient);
}

auto EventChecker::step(Quotient quotient, NodeKind kind, size_t n) -> const Node* {
  const NodeId at = node(quotient);
  want(at.has_value(), "a step that is none of the timeline");
  if (!fault_.empty()) {
    return nullptr;
  }
  const Node& data = timeline_->nodes[at];
  want(data.kind == kind && data.children.size() >= n, "it is another step of the timeline");
  return fault_.empty() ? &data : nullptr;
}

/// The result of a step; none if the timeline does not look at it.
auto EventChecker::result(NodeId of, uint32_t number) const -> NodeId {
  for (uint32_t i = 0; i < timeline_->nodes.size(); ++i) {
    const Node& data = timeline_->nodes[NodeId{i}];
    if (data.kind == NodeKind::Extract && data.number == number && data.children.size() == 1 &&
        data.children[0] == of) {
      return {i};
    }
  }
  return {};
}

auto EventChecker::command(const Command& command) -> std::string {
  if (timeline_ == nullptr) {
    return {};
  }
  if (command.opcode == Opcode::EncodeBegin) {
    if (const Node* data = step(command.node, NodeKind::EncodeEvent, 1)) {
      want(data->children[0] == event_,
           "the encoding starts at another event than in the timeline");
      want(node(ValueId{command.results.begin}) == result(node(command.node), 1),
           "the encoder is another one of the timeline");
      event_ = result(node(command.node), 0);
    }
  } else if (command.opcode == Opcode::Submit) {
    if (const Node* data = step(command.node, NodeKind::SubmitEvent, 1)) {
      want(data->children[0] == node(funclet_.operands_of(command.operands)[0]),
           "another encoder is submitted than in the timeline");
      want(node(ValueId{command.results.begin}) == node(command.node),
           "the future is another one of the timeline");
    }
  } else if (command.opcode == Opcode::Await) {
    if (const Node* data = step(command.node, NodeKind::SyncEvent, 2)) {
      want(data->children[0] == event_, "the wait comes at another event than in the timeline");
      want(data->children[1] == node(funclet_.operands_of(command.operands)[0]),
           "another future is waited for than in the timeline");
      event_ = node(command.node);
    }
  }
  return fault_;
}

/// What runs elsewhere starts at the present event, with the encoders and futures of here.
void EventChecker::hand_over(const Target& target) {
  const Funclet& next = program_.funclets[target.funclet];
  const std::span<const ValueId> given = funclet_.operands_of(target.arguments);
  for (uint32_t i = 0; i < given.size(); ++i) {
    const Quotient expected = next.values[ValueId{i}].tags.tmln.quotient;
    want(expected.kind == QuotientKind::None || node(expected) == node(given[i]),
         "an encoder or future is handed over as another one of the timeline");
  }
}

/// `given`, which are these nodes, go to the join or to the waiter of this funclet.
void EventChecker::results(const std::vector<Port>& given, const std::vector<NodeId>& are) {
  const Target& join = funclet_.tail.join;
  for (uint32_t i = 0; i < given.size(); ++i) {
    const Quotient expected = join.funclet.has_value()
                                  ? program_.funclets[join.funclet]
                                        .values[ValueId{join.arguments.size() + i}]
                                        .tags.tmln.quotient
                                  : funclet_.results[i].tags.tmln.quotient;
    want(expected.kind == QuotientKind::None || node(expected) == are[i],
         "an encoder or future comes back as another one of the timeline");
  }
}

auto EventChecker::tail() -> std::string {
  if (timeline_ == nullptr) {
    return {};
  }
  const Tail& tail = funclet_.tail;
  auto nodes = [&](const std::vector<Port>& ports) {
    std::vector<NodeId> result;
    for (const Port& port : ports) {
      result.push_back(node(port.tags.tmln.quotient));
    }
    return result;
  };
  // Where the waiter of the next funclet continues.
  const Funclet* join =
      tail.join.funclet.has_value() ? &program_.funclets[tail.join.funclet] : nullptr;
  const Quotient behind = join != nullptr ? join->event : funclet_.event_behind;
  if (join != nullptr) {
    hand_over(tail.join);
    want(same(join->event_behind, funclet_.event_behind), "the join ends at another event");
  }
  switch (tail.kind) {
    case TailKind::Return: {
      const std::span<const ValueId> given = funclet_.operands_of(tail.arguments);
      std::vector<NodeId> are;
      std::transform(given.begin(), given.end(), std::back_inserter(are),
                     [&](ValueId value) { return node(value); });
      results(funclet_.results, are);
      want(event_ == node(funclet_.event_behind), "it ends at another event than it says");
      break;
    }
    case TailKind::Jump:
    case TailKind::Yield: {
      const Funclet& next = program_.funclets[tail.targets[0].funclet];
      hand_over(tail.targets[0]);
      results(next.results, nodes(next.results));
      want(node(next.event) == event_ && same(next.event_behind, funclet_.event_behind),
           "the continuation starts or ends at another event");
      break;
    }
    case TailKind::Select:
      for (const Target& side : tail.targets) {
        const Funclet& next = program_.funclets[side.funclet];
        hand_over(side);
        results(next.results, nodes(next.results));
        want(node(next.event) == event_ && same(next.event_behind, behind),
             "a branch starts or ends at another event");
      }
      break;
    case TailKind::Call:
      call();
      break;
  }
  return fault_;
}

/// A call that the timeline does not have leaves the event alone.
void EventChecker::call() {
  const Tail& tail = funclet_.tail;
  const Function& callee = program_.functions[tail.callee];
  const Funclet& entry = program_.funclets[callee.entry];
  std::vector<NodeId> are(entry.results.size());
  if (tail.step.kind != QuotientKind::None) {
    const Node* data = step(tail.step, NodeKind::Call, 1);
    if (data == nullptr) {
      return;
    }
    want(callee.timeline.has_value() ? program_.text(data->text) ==
                                           program_.text(program_.specs[callee.timeline].class_name)
                                     : true,
         "the call is of another timeline");
    want(data->children[0] == event_, "the call comes at another event than in the timeline");
    const std::span<const ValueId> given = funclet_.operands_of(tail.arguments);
    for (uint32_t i = 0; i < given.size(); ++i) {
      const Quotient expected = entry.values[ValueId{i}].tags.tmln.quotient;
      want(expected.kind != QuotientKind::Input ||
               (expected.index < data->children.size() &&
                data->children[expected.index] == node(given[i])),
           "an encoder or future is another one than the call of the timeline has");
    }
    for (size_t i = 0; i < entry.results.size(); ++i) {
      const Quotient gives = entry.results[i].tags.tmln.quotient;
      if (gives.kind == QuotientKind::Output) {
        are[i] = result(node(tail.step), gives.index);
      }
    }
    event_ = result(node(tail.step), 0);
  }
  if (callee.timeline.has_value()) {
    results(entry.results, are);  // else nobody knows what it does on devices
  }
  const Target& join = tail.join;
  want(node(join.funclet.has_value() ? program_.funclets[join.funclet].event
                                     : funclet_.event_behind) == event_,
       "the code after the call starts at another event");
}

}  // namespace tacet::cps
