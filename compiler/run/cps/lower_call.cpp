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

static void pause(FunctionLowering& lowering, const FunctionFacts::Numbers& needed,
                  std::vector<ValueId>& arguments, std::vector<ValueId>& changed);

/// Grid and arguments as the callee takes them. Those that it may write to are added to `changed`.
static auto pass_arguments(FunctionLowering& lowering, const Instruction& call,
                           std::vector<ValueId>& changed) -> std::vector<ValueId> {
  const auto signature = lowering.program.snapshot().signature(call.item);
  const std::vector<bool>& is_written = lowering.program.get<infer::WrittenParametersOf>(call.item);
  std::span<const hir::ValueId> operands = lowering.function->operands_of(call);
  const std::vector<hir::Port> ports = parameter_ports(lowering.program.source_types(), *signature);
  std::vector<ValueId> arguments;
  for (uint32_t i = 0; i < operands.size(); ++i) {
    if (i < call.n_dims) {
      arguments.push_back(local(lowering, operands[i]));
      continue;
    }
    const uint32_t port = i - call.n_dims;
    const TypeId type = port_type(lowering.program, *signature, true, ports[port],
                                  port < is_written.size() && is_written[port]);
    const bool is_remote = lowering.program.program().types[type].kind == TypeKind::Remote;
    const ValueId value = is_remote ? any(lowering, operands[i])
                                    : convert(lowering, local(lowering, operands[i]), type);
    arguments.push_back(value);
    if (lowering.program.program().types[type].kind == TypeKind::MutableReference) {
      changed.push_back(value);
    }
  }
  return arguments;
}

void call(FunctionLowering& lowering, const Instruction& instruction, InstructionId id,
          BlockId block, size_t position) {
  Tail tail;
  tail.kind = TailKind::Call;
  tail.callee = lowering.program.function_of(instruction.item);
  tail.source = source(lowering, instruction.node);
  if (lowering.quotients && lowering.quotients->of_call[id.index].has_value()) {
    tail.node = {QuotientKind::Node, lowering.quotients->of_call[id.index].index};
  }
  tail.step = step(lowering, id);
  tail.draw = number_of_draw(lowering.draws, instruction.node);
  std::vector<ValueId> changed;
  std::vector<ValueId> arguments = pass_arguments(lowering, instruction, changed);
  const FunctionFacts::Numbers& needed = lowering.facts->needed_behind(id);
  if (lowering.program.yields(lowering.id, tail.callee)) {
    pause(lowering, needed, arguments, changed);
  }
  for (ValueId value : changed) {
    content(lowering, value) = {};  // whatever the callee leaves there
  }
  const FuncletId behind =
      new_funclet(lowering, current_funclet(lowering).results, event_after(lowering, id),
                  current_funclet(lowering).event_behind);
  Handover to_join = hand_over(lowering, needed, Owners::Too, behind);
  Work work;
  work.funclet = behind;
  work.block = block;
  work.first = position + 1;
  work.bindings = std::move(to_join.bindings);
  work.call = id;
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    Value value = result_value(lowering, instruction, i);
    if (!follows(lowering, value.tags.val.quotient, tail.node, instruction, i)) {
      value.tags.val.quotient = {};
    }
    value.tags.tmln.quotient = timeline_quotient(lowering, {instruction.results.begin + i});
    work.results.push_back(parameter(lowering, behind, value));
  }
  std::vector<ValueId> all = to_join.arguments;
  all.insert(all.end(), arguments.begin(), arguments.end());
  spend_once(lowering, all);
  const auto n_kept = static_cast<ptrdiff_t>(to_join.arguments.size());
  tail.join = {behind, slice(lowering, {all.begin(), all.begin() + n_kept})};
  tail.arguments = slice(lowering, {all.begin() + n_kept, all.end()});
  current_funclet(lowering).tail = tail;
  lowering.to_do.push_back(std::move(work));
}

auto number_of_draw(const draws::Elaboration& draws, uint32_t node) -> uint32_t {
  const draws::Call* call = draws.call(node);
  return call == nullptr ? 0 : static_cast<uint32_t>(call->word);
}

/// Hands control to the host; continues in a funclet of its own, where `arguments` and `changed`
/// then are.
static void pause(FunctionLowering& lowering, const FunctionFacts::Numbers& needed,
                  std::vector<ValueId>& arguments, std::vector<ValueId>& changed) {
  const FuncletId next = new_funclet(lowering, current_funclet(lowering).results, lowering.event,
                                     current_funclet(lowering).event_behind);
  Handover handover = hand_over(lowering, needed, Owners::Too, next);
  std::unordered_map<uint32_t, ValueId> renamed;
  for (size_t i = 0; i < handover.arguments.size(); ++i) {
    renamed[handover.arguments[i].index] = {static_cast<uint32_t>(i)};
  }
  std::vector<Binding> bindings = std::move(handover.bindings);
  for (ValueId& argument : arguments) {
    auto [at, is_new] = renamed.try_emplace(argument.index);
    if (is_new) {
      at->second = parameter(lowering, next, later(lowering, argument));
      handover.arguments.push_back(argument);
    }
    argument = at->second;
  }
  for (ValueId& value : changed) {
    value = renamed.at(value.index);
  }
  Tail tail;
  tail.kind = TailKind::Yield;
  tail.targets[0] = {next, slice(lowering, handover.arguments)};
  current_funclet(lowering).tail = tail;
  lowering.current = next;
  bind_values(lowering, bindings);
}

/// Does the checker know by itself that result `i` of a call is `quotient`?
auto follows(const FunctionLowering& lowering, Quotient quotient, Quotient call,
             const Instruction& instruction, uint32_t i) -> bool {
  if (quotient.kind == QuotientKind::None) {
    return true;
  }
  uint32_t number = i;
  const auto callee = lowering.program.is_coordinator(instruction.item)
                          ? lowering.program.get<infer::InterfaceOf>(instruction.item)
                          : nullptr;
  if (callee) {
    if (i >= callee->result_quotients.size()) {
      return false;
    }
    const infer::PortQuotient& port = callee->result_quotients[i];
    if (callee->spec == lowering.quotients->val) {
      const infer::SpecNodeId node = port.kind == infer::PortQuotient::Kind::Named
                                         ? lowering.graph->find(port.name)
                                     : port.kind == infer::PortQuotient::Kind::Ordinal &&
                                             port.number < lowering.graph->outputs.size()
                                         ? lowering.graph->outputs[port.number]
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
  const infer::SpecNode& node = lowering.graph->nodes[infer::SpecNodeId{quotient.index}];
  return node.term.kind == infer::TermKind::Extract && node.term.number == number &&
         node.children.size() == 1 && node.children[0].index == call.index;
}

/// The results of the call that a funclet waited for.
void take_results(FunctionLowering& lowering, const Work& work) {
  const Instruction& instruction = lowering.function->instructions[work.call];
  for (uint32_t i = 0; i < work.results.size(); ++i) {
    const hir::ValueId value{instruction.results.begin + i};
    lowering.values[value.index] = proven(lowering, work.results[i], quotient_of(lowering, value));
  }
}

}  // namespace tacet::cps
