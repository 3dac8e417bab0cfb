#include "compiler/cps/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/cps/event_check.h"
#include "compiler/cps/formula.h"
#include "compiler/cps/print.h"
#include "compiler/cps/shape_check.h"
#include "compiler/interpret/value.h"

namespace tacet::cps {

auto fault_text(const Program& program, const Fault& fault) -> std::string {
  if (!fault.funclet.has_value()) {
    return fault.message;
  }
  const std::string where = fault.command == Fault::kTail
                                ? std::string("end")
                                : fmt::format("command {}", fault.command + 1);
  return fmt::format("{}, {}: {}", funclet_name(program, fault.funclet), where, fault.message);
}

namespace {

/// What is known of a value where the check has got to.
struct State {
  Tag content;  ///< of references and variables
  bool is_spent = false;
};

/// Checks the tags of one funclet. That ids and types fit is known already.
class TagChecker {
 public:
  TagChecker(const Program& program, FuncletId id)
      : program_(program),
        funclet_(program.funclets[id]),
        id_(id),
        names_(value_names(program, funclet_)),
        events_(program, funclet_) {
    const SpecId spec = program.functions[funclet_.function].spec;
    spec_ = spec.has_value() ? &program.specs[spec] : nullptr;
    for (const Value& value : funclet_.values.values()) {
      states_.push_back({value.tags.val, false});
    }
  }

  /// The first fault, if there is one.
  auto run(std::vector<Fault>& faults) -> bool {
    for (at_ = 0; at_ < funclet_.commands.size() && fault_.empty(); ++at_) {
      if (funclet_.commands[at_].opcode == Opcode::Fail) {
        return true;  // nothing behind it is ever reached
      }
      command(funclet_.commands[at_]);
      if (const std::string fault = events_.command(funclet_.commands[at_]); !fault.empty()) {
        want(false, "{}", fault);
      }
    }
    if (fault_.empty()) {
      at_ = Fault::kTail;
      tail();
      if (const std::string fault = events_.tail(); !fault.empty()) {
        want(false, "{}", fault);
      }
    } else {
      --at_;
    }
    if (!fault_.empty()) {
      faults.push_back({id_, at_, std::move(fault_)});
      return false;
    }
    return true;
  }

 private:
  template <class... Args>
  void want(bool is_so, fmt::format_string<Args...> format, Args&&... args) {
    if (!is_so && fault_.empty()) {
      fault_ = fmt::format(format, std::forward<Args>(args)...);
    }
  }

  auto kind(ValueId value) const -> TypeKind {
    return program_.types[funclet_.values[value].type].kind;
  }
  auto name(ValueId value) const -> const std::string& { return names_[value.index]; }
  auto tag(ValueId value) const -> Tag {
    return has_content(kind(value)) ? states_[value.index].content
                                    : funclet_.values[value].tags.val;
  }
  auto node(Quotient quotient) const -> NodeId {
    return spec_ == nullptr ? NodeId() : node_of(*spec_, quotient);
  }
  auto node(ValueId value) const -> NodeId { return node(tag(value).quotient); }
  auto data(NodeId node) const -> const Node& { return spec_->nodes[node]; }

  /// A look at a value that leaves it as it is.
  void read(ValueId value) {
    want(!states_[value.index].is_spent, "{} is used up already", name(value));
    want(has_content(kind(value)) || tag(value).flow != Flow::Dead, "{} is dead", name(value));
  }
  void read_content(ValueId reference) {
    read(reference);
    want(tag(reference).flow != Flow::Dead, "nothing is in what {} refers to", name(reference));
  }
  void spend(ValueId value) {
    want(!states_[value.index].is_spent, "{} is used up already", name(value));
    const TypeKind kind = this->kind(value);
    if (kind != TypeKind::Reference && kind != TypeKind::MutableReference) {
      states_[value.index].is_spent = true;
    }
  }

  /// The tags of a value that is new, but for what it is in `val`.
  void plain(ValueId value) {
    const Value& made = funclet_.values[value];
    const TypeKind kind = this->kind(value);
    const Flow sptl = kind == TypeKind::Reference || kind == TypeKind::MutableReference
                          ? Flow::Saved
                          : Flow::Usable;
    want(made.tags.sptl == Tag{{}, sptl}, "{} has another tag in `sptl`", name(value));
    const bool is_handle = kind == TypeKind::Encoder || kind == TypeKind::Future;
    want(is_handle ? made.tags.tmln.flow == Flow::Usable : made.tags.tmln == Tag(),
         "{} has another tag in `tmln`", name(value));
    if (!has_content(kind)) {
      want(made.tags.val.flow == Flow::Usable, "{} is not usable", name(value));
    }
  }

  /// Is `value` the node that its tag says, or does that say nothing?
  void computes(ValueId value, NodeKind kind, std::span<const ValueId> operands,
                const Command& command) {
    plain(value);
    const Quotient quotient = funclet_.values[value].tags.val.quotient;
    if (quotient.kind == QuotientKind::None) {
      return;
    }
    const NodeId node = this->node(quotient);
    want(node.has_value() && quotient.kind == QuotientKind::Node, "{} is no node", name(value));
    if (!fault_.empty()) {
      return;
    }
    const Node& wanted = data(node);
    want(wanted.kind == kind, "{} is computed in another way than its node", name(value));
    if (kind == NodeKind::Unary || kind == NodeKind::Binary) {
      want(wanted.op == command.op, "{} has another operator than its node", name(value));
    }
    if (kind == NodeKind::Cast) {
      want(wanted.type == funclet_.values[value].type, "{} has another type than its node",
           name(value));
    }
    if (kind == NodeKind::Formula && fault_.empty()) {
      want(compute_alike(program_.formulas[command.formula], program_.formulas[wanted.formula]),
           "{} is another array expression than its node", name(value));
    }
    children(wanted, operands, name(value));
  }

  void children(const Node& wanted, std::span<const ValueId> operands, const std::string& what) {
    want(wanted.children.size() == operands.size(), "{} has other operands than its node", what);
    for (size_t i = 0; i < operands.size() && fault_.empty(); ++i) {
      want(node(operands[i]) == wanted.children[i], "operand {} of {} is not that of its node",
           i + 1, what);
    }
  }

  /// `value` is its operand under another name or in another form.
  void same(ValueId value, ValueId operand) {
    plain(value);
    const Tag made = funclet_.values[value].tags.val;
    want(made.quotient.kind == QuotientKind::None || node(made.quotient) == node(operand),
         "{} is another node than {}", name(value), name(operand));
  }

  void constant(const Command& command, ValueId result) {
    plain(result);
    const Quotient quotient = funclet_.values[result].tags.val.quotient;
    if (quotient.kind == QuotientKind::None) {
      return;
    }
    const NodeId node = this->node(quotient);
    want(node.has_value(), "{} is no node", name(result));
    if (!fault_.empty()) {
      return;
    }
    const Node& wanted = data(node);
    if (wanted.kind == NodeKind::Constant) {
      want(program_.text(wanted.text) == program_.text(command.text),
           "{} is another constant than its node", name(result));
      return;
    }
    want(wanted.kind == NodeKind::Literal, "{} is no literal", name(result));
    const Type& type = program_.types[funclet_.values[result].type];
    want(
        type.shape.empty() && funclet_.cells[command.cells.begin] ==
                                  interpret::literal_cell(type.element, program_.text(wanted.text)),
        "{} is another literal than its node", name(result));
  }

  /// The results of a kernel, whose call is a node or says nothing.
  void kernel(const Command& command, std::span<const ValueId> arguments) {
    const NodeId call = node(command.node);
    want(call.has_value() == (command.node.kind != QuotientKind::None), "the call is no node");
    if (call.has_value() && fault_.empty()) {
      const Node& wanted = data(call);
      want(wanted.kind == NodeKind::Call, "the call is another node");
      want(program_.text(wanted.text) == program_.text(program_.kernels[command.kernel].class_name),
           "the call is of another class than its node");
      children(wanted, arguments, "the call");
    }
    for (uint32_t i = command.results.begin; i < command.results.end && fault_.empty(); ++i) {
      const ValueId result{i};
      plain(result);
      const Quotient quotient = funclet_.values[result].tags.val.quotient;
      if (quotient.kind != QuotientKind::None) {
        is_result(node(quotient), call, i - command.results.begin, name(result));
      }
    }
  }

  void is_result(NodeId node, NodeId call, uint32_t number, const std::string& what) {
    want(node.has_value() && call.has_value(), "{} is no result of a node", what);
    if (fault_.empty()) {
      const Node& wanted = data(node);
      want(wanted.kind == NodeKind::Extract && wanted.number == number &&
               wanted.children.size() == 1 && wanted.children[0] == call,
           "{} is another result than its node", what);
    }
  }

  void command(const Command& command) {
    const std::span<const ValueId> operands = funclet_.operands_of(command.operands);
    const ValueId result{command.results.begin};
    for (ValueId operand : operands) {
      read(operand);
    }
    switch (command.opcode) {
      case Opcode::Undefined:
        want(funclet_.values[result].tags.val == Tag{{}, Flow::Dead},
             "what is undefined is usable");
        return;
      case Opcode::Constant:
        constant(command, result);
        return;
      case Opcode::Unary:
        computes(result, NodeKind::Unary, operands, command);
        return;
      case Opcode::Binary:
        computes(result, NodeKind::Binary, operands, command);
        return;
      case Opcode::Cast:
        computes(result, NodeKind::Cast, operands, command);
        return;
      case Opcode::Array:
        computes(result, NodeKind::Array, operands, command);
        return;
      case Opcode::Index:
        computes(result, NodeKind::Index, operands, command);
        return;
      case Opcode::Compute:
        computes(result, NodeKind::Formula, operands, command);
        return;
      case Opcode::Copy:
        want(!is_linear(kind(result)), "{} cannot be copied", name(result));
        same(result, operands[0]);
        return;
      case Opcode::Convert:
        same(result, operands[0]);
        return;
      case Opcode::Assume:
        plain(result);
        want(node(funclet_.values[result].tags.val.quotient).has_value(), "nothing is assumed");
        return;
      case Opcode::Allocate:
        plain(result);
        want(tag(result) == Tag{{}, Flow::Dead}, "a new variable holds something");
        return;
      case Opcode::Release:
        spend(operands[0]);
        return;
      case Opcode::Borrow:
        plain(result);
        want(funclet_.values[result].tags.val == tag(operands[0]), "{} holds something else",
             name(result));
        return;
      case Opcode::Load:
        read_content(operands[0]);
        same(result, operands[0]);
        return;
      case Opcode::Store:
        states_[operands[0].index].content = {funclet_.values[operands[1]].tags.val.quotient,
                                              Flow::Usable};
        return;
      case Opcode::Run:
        kernel(command, operands);
        return;
      case Opcode::EncodeRun:
        kernel(command, operands.subspan(1));
        return;
      case Opcode::EncodeCopy:
        same(result, operands[1]);
        return;
      case Opcode::Fetch:
        same(result, operands[0]);
        return;
      case Opcode::EncodeBegin:
        plain(result);
        return;
      case Opcode::Submit:
        spend(operands[0]);
        plain(result);
        return;
      case Opcode::Await:
        spend(operands[0]);
        return;
      case Opcode::Fail:
        return;
    }
  }

  // Edges: what is usable may come to where nobody looks at it.

  /// May a value with `from` be handed to where `to` is asked for?
  void hand(const Tags& from, const Tags& to, const std::string& what) {
    want(to.val.quotient.kind == QuotientKind::None ||
             (node(from.val.quotient).has_value() &&
              node(from.val.quotient) == node(to.val.quotient)),
         "{} is another node than is asked for", what);
    flows(from, to, what);
  }

  void flows(const Tags& from, const Tags& to, const std::string& what) {
    // What handles are in the timeline is the event checker's.
    want(from.val.flow == to.val.flow || to.val.flow == Flow::Dead,
         "{} has another flow in `val` than is asked for", what);
    want(from.tmln.flow == to.tmln.flow, "{} has another tag in `tmln` than is asked for", what);
    want(from.sptl == to.sptl, "{} has another tag in `sptl` than is asked for", what);
  }

  auto tags(ValueId value) const -> Tags {
    Tags tags = funclet_.values[value].tags;
    tags.val = tag(value);
    return tags;
  }

  void hand_all(const Target& target, std::span<const uint32_t> changed = {}) {
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

  void spend_all(Slice slice) {
    for (ValueId value : funclet_.operands_of(slice)) {
      spend(value);
    }
  }

  void tail() {
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
      want(kind({i}) != TypeKind::Variable || states_[i].is_spent, "{} is never released",
           name({i}));
    }
  }

  void give_back() {
    const std::span<const ValueId> given = funclet_.operands_of(funclet_.tail.arguments);
    for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
      hand(tags(given[i]), funclet_.results[i].tags, name(given[i]));
    }
  }

  /// Who goes on in the place of this funclet gives what this one would have to.
  void same_results(FuncletId next) {
    const std::vector<Port>& given = program_.funclets[next].results;
    for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
      hand(given[i].tags, funclet_.results[i].tags, fmt::format("result {}", i + 1));
    }
  }

  /// What the results of the ways, or of a callee, are asked to be.
  auto asked(size_t i) const -> Tags {
    const Target& join = funclet_.tail.join;
    return join.funclet.has_value()
               ? program_.funclets[join.funclet]
                     .values[ValueId{static_cast<uint32_t>(join.arguments.size() + i)}]
                     .tags
               : funclet_.results[i].tags;
  }

  void select() {
    const Tail& tail = funclet_.tail;
    read(tail.condition);
    const NodeId condition = node(tail.condition);
    spend_all(tail.join.arguments);
    // Either way may use up what the other does, so both start from here.
    const std::vector<State> before = states_;
    std::vector<State> behind = states_;
    for (size_t way = 0; way < 2 && fault_.empty(); ++way) {
      states_ = before;
      spend_all(tail.targets[way].arguments);
      hand_all(tail.targets[way]);
      for (size_t i = 0; i < states_.size(); ++i) {
        // What only one way takes along must be such that the other may forget it.
        behind[i].is_spent =
            way == 0 ? states_[i].is_spent : behind[i].is_spent && states_[i].is_spent;
      }
      const std::vector<Port>& results = program_.funclets[tail.targets[way].funclet].results;
      for (size_t i = 0; i < results.size() && fault_.empty(); ++i) {
        way_gives(results[i], asked(i), condition, way, i);
      }
    }
    states_ = std::move(behind);
    if (tail.join.funclet.has_value()) {
      hand_all(tail.join);
      same_results(tail.join.funclet);
    }
  }

  void way_gives(const Port& given, const Tags& asked, NodeId condition, size_t way, size_t i) {
    const std::string what = fmt::format("result {} of way {}", i + 1, way + 1);
    const NodeId has = node(given.tags.val.quotient);
    const NodeId wanted = node(asked.val.quotient);
    bool is_chosen = false;
    if (wanted.has_value() && has.has_value() && data(wanted).kind == NodeKind::Select) {
      const std::vector<NodeId>& children = data(wanted).children;
      is_chosen = condition.has_value() && children.size() == 3 && children[0] == condition &&
                  children[1 + way] == has;
    }
    if (is_chosen) {
      flows(given.tags, asked, what);
      return;
    }
    hand(given.tags, asked, what);
  }

  void call() {
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
      callee_gives(entry.results[i], asked(i), callee, call, i);
    }
  }

  /// An input of the callee is what the call in the specification has there.
  void argument(NodeId call, const Function& callee, uint32_t i, Quotient parameter,
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

  void callee_gives(const Port& given, const Tags& asked, const Function& callee, NodeId call,
                    size_t i) {
    const std::string what = fmt::format("result {} of the call", i + 1);
    flows(given.tags, asked, what);
    if (asked.val.quotient.kind == QuotientKind::None) {
      return;
    }
    const SpecId own = program_.functions[funclet_.function].spec;
    const NodeId wanted = node(asked.val.quotient);
    // A function that does a part of the same work gives nodes of the same specification.
    if (callee.spec == own && wanted.has_value() && node(given.tags.val.quotient) == wanted) {
      return;
    }
    want(given.tags.val.quotient.kind == QuotientKind::Output, "{} is no output", what);
    is_result(wanted, call, given.tags.val.quotient.index, what);
  }

  const Program& program_;
  const Funclet& funclet_;
  FuncletId id_;
  std::vector<std::string> names_;
  EventChecker events_;
  const Spec* spec_ = nullptr;
  std::vector<State> states_;
  uint32_t at_ = 0;
  std::string fault_;
};

/// Is there a way around in the calls that no `yield` interrupts?
auto calls_in_circles(const Program& program) -> bool {
  std::vector<bool> is_resumed(program.funclets.size(), false);
  std::vector<bool> is_entered(program.funclets.size(), false);
  for (const Funclet& funclet : program.funclets.values()) {
    for (size_t i = 0; i < funclet.n_targets(); ++i) {
      auto& reached = funclet.tail.kind == TailKind::Yield ? is_resumed : is_entered;
      reached[funclet.tail.targets[i].funclet.index] = true;
    }
    if (funclet.tail.join.funclet.has_value()) {
      is_entered[funclet.tail.join.funclet.index] = true;
    }
  }
  std::vector<std::vector<uint32_t>> calls(program.functions.size());
  for (uint32_t i = 0; i < program.funclets.size(); ++i) {
    const Funclet& funclet = program.funclets[FuncletId{i}];
    if (funclet.tail.kind == TailKind::Call && (!is_resumed[i] || is_entered[i])) {
      calls[funclet.function.index].push_back(funclet.tail.callee.index);
    }
  }
  enum class Mark : uint8_t { New, Open, Done };
  std::vector<Mark> marks(calls.size(), Mark::New);
  for (uint32_t root = 0; root < calls.size(); ++root) {
    std::vector<std::pair<uint32_t, size_t>> path;
    if (marks[root] == Mark::New) {
      marks[root] = Mark::Open;
      path.emplace_back(root, 0);
    }
    while (!path.empty()) {
      auto& [at, n_done] = path.back();
      if (n_done == calls[at].size()) {
        marks[at] = Mark::Done;
        path.pop_back();
        continue;
      }
      const uint32_t next = calls[at][n_done++];
      if (marks[next] == Mark::Open) {
        return true;
      }
      if (marks[next] == Mark::New) {
        marks[next] = Mark::Open;
        path.emplace_back(next, 0);
      }
    }
  }
  return false;
}

}  // namespace

auto check(const Program& program) -> std::vector<Fault> {
  std::vector<Fault> faults = check_shape(program);
  if (!faults.empty()) {
    return faults;  // tags of what does not fit together say nothing
  }
  for (uint32_t i = 0; i < program.funclets.size(); ++i) {
    TagChecker(program, {i}).run(faults);
  }
  if (calls_in_circles(program)) {
    faults.push_back({{}, Fault::kTail, "functions call each other in a circle without a yield"});
  }
  return faults;
}

}  // namespace tacet::cps
