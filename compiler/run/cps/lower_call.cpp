#include "compiler/run/cps/lowering.h"
#include "compiler/spec/infer/written_parameters.h"

// A call of a function ends a funclet; what comes behind it waits for the results.

namespace tacet::cps {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;

/// The ports of all parameters, in order.
static auto parameter_ports(const types::TypeStore& types, const types::Signature& signature)
    -> std::vector<hir::Port> {
  std::vector<hir::Port> ports;
  for (uint32_t i = 0; i < signature.parameters.size(); ++i) {
    std::vector<hir::Port> more = hir::expand(types, signature.parameters[i].type, i);
    ports.insert(ports.end(), more.begin(), more.end());
  }
  return ports;
}

/// Grid and arguments as the callee takes them. Those that it may write to are added to `changed`.
auto FunctionLowering::pass_arguments(const Instruction& call, std::vector<ValueId>& changed)
    -> std::vector<ValueId> {
  const auto signature = program_.snapshot().signature(call.item);
  const std::vector<bool>& is_written = program_.get<infer::WrittenParametersOf>(call.item);
  std::span<const hir::ValueId> operands = function_->operands_of(call);
  const std::vector<hir::Port> ports = parameter_ports(program_.source_types(), *signature);
  std::vector<ValueId> arguments;
  for (uint32_t i = 0; i < operands.size(); ++i) {
    if (i < call.n_dims) {
      arguments.push_back(local(operands[i]));
      continue;
    }
    const uint32_t port = i - call.n_dims;
    const TypeId type = port_type(program_, *signature, true, ports[port],
                                  port < is_written.size() && is_written[port]);
    const bool is_remote = program_.program().types[type].kind == TypeKind::Remote;
    const ValueId value = is_remote ? any(operands[i]) : convert(local(operands[i]), type);
    arguments.push_back(value);
    if (program_.program().types[type].kind == TypeKind::MutableReference) {
      changed.push_back(value);
    }
  }
  return arguments;
}

void FunctionLowering::call(const Instruction& instruction, InstructionId id, BlockId block,
                            size_t position) {
  Tail tail;
  tail.kind = TailKind::Call;
  tail.callee = program_.function_of(instruction.item);
  tail.source = source(instruction.node);
  if (quotients_ && quotients_->of_call[id.index].has_value()) {
    tail.node = {QuotientKind::Node, quotients_->of_call[id.index].index};
  }
  tail.step = step(id);
  tail.draw = number_of_draw(draws_, instruction.node);
  std::vector<ValueId> changed;
  std::vector<ValueId> arguments = pass_arguments(instruction, changed);
  const FunctionFacts::Numbers& needed = facts_->needed_behind(id);
  if (program_.yields(id_, tail.callee)) {
    pause(needed, arguments, changed);
  }
  for (ValueId value : changed) {
    content(value) = {};  // whatever the callee leaves there
  }
  const FuncletId behind = new_funclet(funclet().results, event_after(id), funclet().event_behind);
  Handover to_join = hand_over(needed, Owners::Too, behind);
  Work work;
  work.funclet = behind;
  work.block = block;
  work.first = position + 1;
  work.bindings = std::move(to_join.bindings);
  work.call = id;
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    Value value = result_value(instruction, i);
    if (!follows(value.tags.val.quotient, tail.node, instruction, i)) {
      value.tags.val.quotient = {};
    }
    value.tags.tmln.quotient = timeline_quotient({instruction.results.begin + i});
    work.results.push_back(parameter(behind, value));
  }
  std::vector<ValueId> all = to_join.arguments;
  all.insert(all.end(), arguments.begin(), arguments.end());
  spend_once(all);
  const auto n_kept = static_cast<ptrdiff_t>(to_join.arguments.size());
  tail.join = {behind, slice({all.begin(), all.begin() + n_kept})};
  tail.arguments = slice({all.begin() + n_kept, all.end()});
  funclet().tail = tail;
  to_do_.push_back(std::move(work));
}

auto number_of_draw(const draws::Elaboration& draws, uint32_t node) -> uint32_t {
  const draws::Call* call = draws.call(node);
  return call == nullptr ? 0 : static_cast<uint32_t>(call->word);
}

/// Hands control to the host; goes on in a funclet of its own, where `arguments` and `changed`
/// then are.
void FunctionLowering::pause(const FunctionFacts::Numbers& needed, std::vector<ValueId>& arguments,
                             std::vector<ValueId>& changed) {
  const FuncletId next = new_funclet(funclet().results, event_, funclet().event_behind);
  Handover handover = hand_over(needed, Owners::Too, next);
  std::unordered_map<uint32_t, ValueId> renamed;
  for (size_t i = 0; i < handover.arguments.size(); ++i) {
    renamed[handover.arguments[i].index] = {static_cast<uint32_t>(i)};
  }
  std::vector<Binding> bindings = std::move(handover.bindings);
  for (ValueId& argument : arguments) {
    auto [at, is_new] = renamed.try_emplace(argument.index);
    if (is_new) {
      at->second = parameter(next, later(argument));
      handover.arguments.push_back(argument);
    }
    argument = at->second;
  }
  for (ValueId& value : changed) {
    value = renamed.at(value.index);
  }
  Tail tail;
  tail.kind = TailKind::Yield;
  tail.targets[0] = {next, slice(handover.arguments)};
  funclet().tail = tail;
  current_ = next;
  bind(bindings);
}

/// Does the checker know by itself that result `i` of a call is `quotient`?
auto FunctionLowering::follows(Quotient quotient, Quotient call, const Instruction& instruction,
                               uint32_t i) const -> bool {
  if (quotient.kind == QuotientKind::None) {
    return true;
  }
  uint32_t number = i;
  const auto callee = program_.is_coordinator(instruction.item)
                          ? program_.get<infer::InterfaceOf>(instruction.item)
                          : nullptr;
  if (callee) {
    if (i >= callee->result_quotients.size()) {
      return false;
    }
    const infer::PortQuotient& port = callee->result_quotients[i];
    if (callee->spec == quotients_->val) {
      const infer::SpecNodeId node =
          port.kind == infer::PortQuotient::Kind::Named ? graph_->find(port.name)
          : port.kind == infer::PortQuotient::Kind::Ordinal && port.number < graph_->outputs.size()
              ? graph_->outputs[port.number]
              : infer::SpecNodeId();
      if (node.index == quotient.index) {
        return true;
      }
    }
    if (port.kind != infer::PortQuotient::Kind::Ordinal) {
      return false;
    }
    number = port.number;
  }
  if (call.kind == QuotientKind::None) {
    return false;
  }
  const infer::SpecNode& node = graph_->nodes[infer::SpecNodeId{quotient.index}];
  return node.term.kind == infer::TermKind::Extract && node.term.number == number &&
         node.children.size() == 1 && node.children[0].index == call.index;
}

/// The results of the call that a funclet waited for.
void FunctionLowering::take_results(const Work& work) {
  const Instruction& instruction = function_->instructions[work.call];
  for (uint32_t i = 0; i < work.results.size(); ++i) {
    const hir::ValueId value{instruction.results.begin + i};
    values_[value.index] = proven(work.results[i], quotient(value));
  }
}

}  // namespace tacet::cps
