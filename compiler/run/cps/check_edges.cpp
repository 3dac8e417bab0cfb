#include <algorithm>

#include "compiler/run/cps/tag_checker.h"

// What is handed from one funclet to the next.

namespace tacet::cps {

void TagChecker::hand(const Tags& from, const Tags& to, const std::string& what) {
  want(
      to.val.quotient.kind == QuotientKind::None ||
          (node(from.val.quotient).has_value() && node(from.val.quotient) == node(to.val.quotient)),
      "{} is another node than expected", what);
  flows(from, to, what);
}

void TagChecker::flows(const Tags& from, const Tags& to, const std::string& what) {
  // What handles are in the timeline is the event checker's.
  want(from.val.flow == to.val.flow || to.val.flow == Flow::Dead,
       "{} has another flow in `val` than expected", what);
  want(from.tmln.flow == to.tmln.flow, "{} has another tag in `tmln` than expected", what);
  want(from.sptl == to.sptl, "{} has another tag in `sptl` than expected", what);
}

auto TagChecker::tags(ValueId value) const -> Tags {
  Tags tags = funclet_.values[value].tags;
  tags.val = tag(value);
  return tags;
}

void TagChecker::hand_all(const Target& target, std::span<const uint32_t> changed) {
  const Funclet& next = program_.funclets[target.funclet];
  const std::span<const ValueId> given = funclet_.operands_of(target.arguments);
  for (uint32_t i = 0; i < given.size() && fault_.empty(); ++i) {
    Tags from = tags(given[i]);
    if (std::find(changed.begin(), changed.end(), given[i].index) != changed.end()) {
      from.val = {};
    }
    hand(from, next.values[ValueId{i}].tags, name(given[i]));
  }
}

void TagChecker::spend_all(Slice slice) {
  for (ValueId value : funclet_.operands_of(slice)) {
    spend(value);
  }
}

void TagChecker::tail() {
  const Tail& tail = funclet_.tail;
  switch (tail.kind) {
    case TailKind::Return:
      spend_all(tail.arguments);
      give_back();
      break;
    case TailKind::Jump:
    case TailKind::Yield:
      spend_all(tail.targets[0].arguments);
      hand_all(tail.targets[0]);
      same_results(tail.targets[0].funclet);
      break;
    case TailKind::Select:
      select();
      break;
    case TailKind::Call:
      call();
      break;
  }
  for (uint32_t i = 0; i < funclet_.values.size() && fault_.empty(); ++i) {
    want(kind({i}) != TypeKind::Variable || states_[i].is_spent, "{} is never released", name({i}));
  }
}

void TagChecker::give_back() {
  const std::span<const ValueId> given = funclet_.operands_of(funclet_.tail.arguments);
  for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
    hand(tags(given[i]), funclet_.results[i].tags, name(given[i]));
  }
}

void TagChecker::same_results(FuncletId next) {
  const std::vector<Port>& given = program_.funclets[next].results;
  for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
    hand(given[i].tags, funclet_.results[i].tags, fmt::format("result {}", i + 1));
  }
}

auto TagChecker::expected(size_t i) const -> Tags {
  const Target& join = funclet_.tail.join;
  return join.funclet.has_value()
             ? program_.funclets[join.funclet]
                   .values[ValueId{static_cast<uint32_t>(join.arguments.size() + i)}]
                   .tags
             : funclet_.results[i].tags;
}

void TagChecker::select() {
  const Tail& tail = funclet_.tail;
  read(tail.condition);
  const NodeId condition = node(tail.condition);
  spend_all(tail.join.arguments);
  // Either branch may consume what the other does, so both start from here.
  const std::vector<State> before = states_;
  std::vector<State> behind = states_;
  for (size_t side = 0; side < 2 && fault_.empty(); ++side) {
    states_ = before;
    spend_all(tail.targets[side].arguments);
    hand_all(tail.targets[side]);
    for (size_t i = 0; i < states_.size(); ++i) {
      // The other branch must be allowed to drop what only one takes along.
      behind[i].is_spent =
          side == 0 ? states_[i].is_spent : behind[i].is_spent && states_[i].is_spent;
    }
    const std::vector<Port>& results = program_.funclets[tail.targets[side].funclet].results;
    for (size_t i = 0; i < results.size() && fault_.empty(); ++i) {
      check_side_result(results[i], expected(i), condition, side, i);
    }
  }
  states_ = std::move(behind);
  if (tail.join.funclet.has_value()) {
    hand_all(tail.join);
    same_results(tail.join.funclet);
  }
}

void TagChecker::check_side_result(const Port& given, const Tags& expected, NodeId condition,
                                   size_t side, size_t i) {
  const std::string what = fmt::format("result {} of branch {}", i + 1, side + 1);
  const NodeId has = node(given.tags.val.quotient);
  const NodeId wanted = node(expected.val.quotient);
  bool is_chosen = false;
  if (wanted.has_value() && has.has_value() && data(wanted).kind == NodeKind::Select) {
    const std::vector<NodeId>& children = data(wanted).children;
    is_chosen = condition.has_value() && children.size() == 3 && children[0] == condition &&
                children[1 + side] == has;
  }
  if (is_chosen) {
    flows(given.tags, expected, what);
    return;
  }
  hand(given.tags, expected, what);
}

void TagChecker::call() {
  const Tail& tail = funclet_.tail;
  const Function& callee = program_.functions[tail.callee];
  const Funclet& entry = program_.funclets[callee.entry];
  spend_all(tail.join.arguments);
  spend_all(tail.arguments);
  const NodeId call = node(tail.node);
  want(call.has_value() == (tail.node.kind != QuotientKind::None), "the call is no node");
  const Spec* spec = callee.spec.has_value() ? &program_.specs[callee.spec] : nullptr;
  if (call.has_value() && fault_.empty()) {
    want(data(call).kind == NodeKind::Call && spec != nullptr &&
             program_.text(data(call).text) == program_.text(spec->class_name),
         "the call is another node");
  }
  const std::span<const ValueId> given = funclet_.operands_of(tail.arguments);
  std::vector<uint32_t> changed;
  for (uint32_t i = 0; i < given.size() && fault_.empty(); ++i) {
    const Value& parameter = entry.values[ValueId{i}];
    flows(tags(given[i]), parameter.tags, name(given[i]));
    if (program_.types[parameter.type].kind == TypeKind::MutableReference) {
      changed.push_back(given[i].index);
    }
    if (call.has_value()) {
      argument(call, callee, i, parameter.tags.val.quotient, given[i]);
    }
  }
  if (tail.join.funclet.has_value()) {
    hand_all(tail.join, changed);
    same_results(tail.join.funclet);
  }
  for (size_t i = 0; i < entry.results.size() && fault_.empty(); ++i) {
    callee_gives(entry.results[i], expected(i), callee, call, i);
  }
}

void TagChecker::argument(NodeId call, const Function& callee, uint32_t i, Quotient parameter,
                          ValueId given) {
  uint32_t number = i;
  if (i >= callee.n_dims) {
    if (parameter.kind != QuotientKind::Input) {
      return;
    }
    number = callee.n_dims + parameter.index;
  }
  const std::vector<NodeId>& children = data(call).children;
  want(number < children.size() && node(given) == children[number],
       "{} is not the argument that the node of the call has", name(given));
}

void TagChecker::callee_gives(const Port& given, const Tags& expected, const Function& callee,
                              NodeId call, size_t i) {
  const std::string what = fmt::format("result {} of the call", i + 1);
  flows(given.tags, expected, what);
  if (expected.val.quotient.kind == QuotientKind::None) {
    return;
  }
  const SpecId own = program_.functions[funclet_.function].spec;
  const NodeId wanted = node(expected.val.quotient);
  // A function that does a part of the same work gives nodes of the same specification.
  if (callee.spec == own && wanted.has_value() && node(given.tags.val.quotient) == wanted) {
    return;
  }
  want(given.tags.val.quotient.kind == QuotientKind::Output, "{} is no output", what);
  is_result(wanted, call, given.tags.val.quotient.index, what);
}

}  // namespace tacet::cps
