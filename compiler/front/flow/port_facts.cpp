#include "compiler/front/flow/port_facts.h"

#include "compiler/front/flow/needed_parameters.h"

namespace tacet::flow {

using hir::BlockId;
using hir::Function;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceKind;
using hir::ValueId;
using types::TypeKind;

namespace {

class FactReader {
 public:
  FactReader(query::Context& context, const Function& function)
      : context_(context),
        types_(context.service<types::TypeStore>()),
        items_(context.service<names::ItemTable>()),
        function_(function),
        facts_(function),
        stored_in_(function.places.size(), kNever) {}

  auto run() -> PortFacts {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const hir::Block& block = function_.blocks[BlockId{i}];
      block_ = i;
      for (InstructionId id : block.instructions) {
        read(function_.instructions[id]);
      }
      if (block.terminator.kind == hir::TerminatorKind::Return) {
        read(block.terminator);
      }
    }
    return std::move(facts_);
  }

 private:
  void read(const Instruction& instruction) {
    if (instruction.opcode == Opcode::Parameter) {
      read_parameter(instruction);
    } else if (instruction.opcode == Opcode::Store) {
      read_store(instruction);
    } else if (instruction.opcode == Opcode::Call) {
      read_call(instruction);
    } else if (instruction.opcode == Opcode::Written) {
      read_written(instruction);
    }
  }

  void read_parameter(const Instruction& parameter) {
    if (is_lent(function_.result_of(parameter)) && flows_of(function_.item) &&
        !flows_of(function_.item)->has_value(parameter.number)) {
      facts_.empty_values.insert(parameter.results.begin);
    }
  }

  void read_written(const Instruction& written) {
    if (const auto callee = flows_of(written.item);
        callee && !callee->has_value(written.number) && !is_filled(written)) {
      facts_.unfilled_values.insert(written.results.begin);
    }
  }

  /// Notes that something is in a place from here on. A copy may be one of nothing.
  void read_store(const Instruction& store) {
    const ValueId stored = function_.operands_of(store)[0];
    const bool may_be_nothing = function_.definition_of(stored).opcode == Opcode::Load ||
                                facts_.empty_values.contains(stored.index);
    if (!may_be_nothing && stored_in_[store.place.index] != 0) {
      stored_in_[store.place.index] = block_;
    }
  }

  /// May there be nothing in the place that `value` was loaded from?
  [[nodiscard]] auto may_be_empty(ValueId value) const -> bool {
    const Instruction& definition = function_.definition_of(value);
    const uint32_t stored =
        definition.opcode == Opcode::Load ? stored_in_[definition.place.index] : 0;
    return stored != 0 && stored != block_;
  }

  void read_call(const Instruction& call) {
    for (uint32_t i = call.operands.begin + call.n_dims; i < call.operands.end; ++i) {
      if (!is_lent(function_.operands[i])) {
        continue;
      }
      const uint32_t port = i - call.operands.begin - call.n_dims;
      const auto callee = flows_of(call.item);
      const bool is_field =
          types_[function_.values[function_.operands[i]].type].kind != TypeKind::Reference &&
          may_be_empty(function_.operands[i]);
      if (callee &&
          (!callee->has_value(port) || (is_field && may_be_absent(context_, call.item, port)))) {
        facts_.empty_operands.insert(i);
      }
    }
    for (uint32_t i = call.results.begin; i < call.results.end; ++i) {
      if (!is_lent({i})) {
        continue;
      }
      const auto callee = flows_of(call.item);
      if (callee && !callee->gives_value(i - call.results.begin)) {
        facts_.empty_values.insert(i);
      }
    }
  }

  void read(const hir::Terminator& terminator) {
    for (uint32_t i = terminator.operands.begin; i < terminator.operands.end; ++i) {
      if (!is_lent(function_.operands[i])) {
        continue;
      }
      const auto own = flows_of(function_.item);
      if (own && !own->gives_value(i - terminator.operands.begin)) {
        facts_.empty_operands.insert(i);
      }
    }
  }

  /// Could it be that there is nothing behind `value`? References and fields may be empty.
  [[nodiscard]] auto is_lent(ValueId value) const -> bool {
    if (types_[function_.values[value].type].kind == TypeKind::Reference) {
      return true;
    }
    const Instruction& definition = function_.definition_of(value);
    if (definition.opcode == Opcode::Load) {
      return function_.places[definition.place].kind == PlaceKind::Field;
    }
    return definition.opcode == Opcode::Parameter &&
           function_.parameters[definition.number].field.has_value();
  }

  auto flows_of(names::ItemId item) -> PortFlowsOf::Value {
    return items_[item].kind == names::ItemKind::Fn ? context_.get<PortFlowsOf>(item) : nullptr;
  }

  auto is_filled(const Instruction& written) -> bool {
    const FilledParametersOf::Value& filled = context_.get<FilledParametersOf>(written.item);
    return written.number >= filled.size() || filled[written.number];
  }

  query::Context& context_;
  const types::TypeStore& types_;
  const names::ItemTable& items_;
  static constexpr uint32_t kNever = 0xffffffff;

  const Function& function_;
  PortFacts facts_;
  uint32_t block_ = 0;
  /// By place: the block that stores to it, the entry before others.
  std::vector<uint32_t> stored_in_;
};

}  // namespace

auto port_facts(query::Context& context, const Function& function) -> PortFacts {
  return FactReader(context, function).run();
}

auto FilledParametersOf::compute(query::Context& context, const Key& item) -> Value {
  const hir::FunctionPtr function = hir::build_function(context, item);
  if (!function) {
    return {};
  }
  const PlaceProblem problem(*function, context.service<types::TypeStore>(),
                             port_facts(context, *function), Followed::Suspects);
  const hir::BlockFacts<PlaceFact> facts = hir::solve(*function, problem);
  Value result(function->parameters.size(), true);
  for (InstructionId id : function->blocks[BlockId{0}].instructions) {
    const Instruction& store = function->instructions[id];
    if (store.opcode != Opcode::Store) {
      continue;
    }
    const ValueId stored = function->operands_of(store)[0];
    if (problem.ports().empty_values.contains(stored.index) &&
        function->definition_of(stored).opcode == Opcode::Parameter) {
      result[function->definition_of(stored).number] =
          !problem.is_empty(facts.at_end.back(), store.place);
    }
  }
  return result;
}

}  // namespace tacet::flow
