#include "compiler/run/cps/check.h"

#include <fmt/format.h>

#include "compiler/run/cps/formula.h"
#include "compiler/run/cps/print.h"
#include "compiler/run/cps/shape_check.h"
#include "compiler/run/cps/tag_checker.h"
#include "compiler/run/interpret/value.h"

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

auto TagChecker::run(std::vector<Fault>& faults) -> bool {
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

void TagChecker::spend(ValueId value) {
  want(!states_[value.index].is_spent, "{} is consumed already", name(value));
  const TypeKind kind = this->kind(value);
  if (kind != TypeKind::Reference && kind != TypeKind::MutableReference) {
    states_[value.index].is_spent = true;
  }
}

void TagChecker::plain(ValueId value) {
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

void TagChecker::computes(ValueId value, NodeKind kind, std::span<const ValueId> operands,
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
  want(wanted.kind == kind, "{} is computed differently from its node", name(value));
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

void TagChecker::children(const Node& wanted, std::span<const ValueId> operands,
                          const std::string& what) {
  want(wanted.children.size() == operands.size(), "{} has other operands than its node", what);
  for (size_t i = 0; i < operands.size() && fault_.empty(); ++i) {
    want(node(operands[i]) == wanted.children[i], "operand {} of {} is not that of its node", i + 1,
         what);
  }
}

void TagChecker::same(ValueId value, ValueId operand) {
  plain(value);
  const Tag made = funclet_.values[value].tags.val;
  want(made.quotient.kind == QuotientKind::None || node(made.quotient) == node(operand),
       "{} is another node than {}", name(value), name(operand));
}

void TagChecker::constant(const Command& command, ValueId result) {
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
  want(type.shape.empty() && funclet_.cells[command.cells.begin] ==
                                 interpret::literal_cell(type.element, program_.text(wanted.text)),
       "{} is another literal than its node", name(result));
}

void TagChecker::kernel(const Command& command, std::span<const ValueId> arguments) {
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

void TagChecker::is_result(NodeId node, NodeId call, uint32_t number, const std::string& what) {
  want(node.has_value() && call.has_value(), "{} is no result of a node", what);
  if (fault_.empty()) {
    const Node& wanted = data(node);
    want(wanted.kind == NodeKind::Extract && wanted.number == number &&
             wanted.children.size() == 1 && wanted.children[0] == call,
         "{} is another result than its node", what);
  }
}

void TagChecker::command(const Command& command) {
  const std::span<const ValueId> operands = funclet_.operands_of(command.operands);
  const ValueId result{command.results.begin};
  for (ValueId operand : operands) {
    read(operand);
  }
  switch (command.opcode) {
    case Opcode::Undefined:
      want(funclet_.values[result].tags.val == Tag{{}, Flow::Dead}, "what is undefined is usable");
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

namespace {

/// Is there a cycle of calls without a `yield`?
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
