#include "compiler/front/flow/needed_parameters.h"

#include <algorithm>

#include "compiler/front/flow/port_flows.h"
#include "compiler/front/hir/ssa.h"

namespace tacet::flow {

using hir::BlockId;
using hir::Function;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

namespace {

/// Goes through a function in SSA against the order of control: definitions come before uses, so
/// every use of a value has been met when its definition is.
class NeedReader {
 public:
  NeedReader(query::Context& context, const Function& function)
      : context_(context),
        items_(context.service<names::ItemTable>()),
        function_(function),
        need_(function.values.size(), Need::None) {}

  auto run() -> NeededParametersOf::Value {
    NeededParametersOf::Value result(function_.parameters.size(), Need::None);
    for (uint32_t i = static_cast<uint32_t>(function_.blocks.size()); i-- > 0;) {
      const hir::Block& block = function_.blocks[BlockId{i}];
      for (ValueId given : function_.operands_of(block.terminator)) {
        need(given, Need::GivenBack);
      }
      need(block.terminator.condition, Need::Read);
      for (auto id = block.instructions.rbegin(); id != block.instructions.rend(); ++id) {
        read(function_.instructions[*id], result);
      }
    }
    return result;
  }

 private:
  void read(const Instruction& instruction, NeededParametersOf::Value& result) {
    const Opcode opcode = instruction.opcode;
    if (opcode == Opcode::Parameter) {
      result[instruction.number] = need_[instruction.results.begin];
      return;
    }
    if (opcode == Opcode::Call) {
      call(instruction);
      return;
    }
    if (opcode == Opcode::Annotate) {
      return;
    }
    const bool is_passing = opcode == Opcode::Copy || opcode == Opcode::Phi;
    const Need needed = is_passing ? need_[instruction.results.begin] : Need::Read;
    for (ValueId operand : function_.operands_of(instruction)) {
      need(operand, needed);
    }
  }

  void call(const Instruction& call) {
    const std::span<const ValueId> operands = function_.operands_of(call);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      const Instruction& definition = function_.definition_of(operands[i]);
      const bool is_field = definition.opcode == Opcode::Parameter &&
                            function_.parameters[definition.number].field.has_value() &&
                            is_coordinator(call.item);
      if (!is_field || !may_be_absent(context_, call.item, i - call.n_dims)) {
        need(operands[i], Need::Read);
      }
    }
  }

  [[nodiscard]] auto is_coordinator(names::ItemId item) const -> bool {
    return items_[item].kind == names::ItemKind::Fn;
  }

  void need(ValueId value, Need need) {
    if (value.has_value()) {
      need_[value.index] = std::max(need_[value.index], need);
    }
  }

  query::Context& context_;
  const names::ItemTable& items_;
  const Function& function_;
  std::vector<Need> need_;
};

}  // namespace

auto may_be_absent(query::Context& context, names::ItemId callee, uint32_t port) -> bool {
  const auto& flows = context.get<PortFlowsOf>(callee);
  if (flows && !flows->has_value(port)) {
    return true;
  }
  const NeededParametersOf::Value& needed = context.get<NeededParametersOf>(callee);
  return port < needed.size() && needed[port] == Need::None;
}

auto NeededParametersOf::compute(query::Context& context, const Key& item) -> Value {
  const hir::FunctionPtr function = hir::build_function(context, item);
  return function ? NeedReader(context, hir::to_ssa(*function)).run() : Value();
}

auto GivenBackOf::compute(query::Context& context, const Key& item) -> Value {
  const hir::FunctionPtr built = hir::build_function(context, item);
  if (!built) {
    return {};
  }
  const Function function = hir::to_ssa(*built);
  const std::span<const ValueId> given =
      function.operands_of(function.blocks.values().back().terminator);
  Value result;
  for (ValueId value : given) {
    const Instruction* definition = &function.definition_of(value);
    while (definition->opcode == Opcode::Copy || definition->opcode == Opcode::EncodeCopy) {
      const size_t copied = definition->opcode == Opcode::Copy ? 0 : 1;
      definition = &function.definition_of(function.operands_of(*definition)[copied]);
    }
    result.push_back(definition->opcode == Opcode::Parameter ? definition->number : hir::kNoNode);
  }
  return result;
}

}  // namespace tacet::flow
