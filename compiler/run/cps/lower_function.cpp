#include <algorithm>

#include "compiler/front/flow/needed_parameters.h"
#include "compiler/front/flow/port_flows.h"
#include "compiler/run/cps/lowering.h"
#include "compiler/spec/infer/written_parameters.h"

namespace tacet::cps {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::PlaceId;
using types::Signature;

FunctionLowering::FunctionLowering(ProgramLowering& program_, FunctionId id_, names::ItemId item_)
    : program(program_),
      id(id_),
      item(item_),
      function(program_.get<hir::FunctionOf>(item_)),
      ssa(program_.get<hir::SsaOf>(item_)),
      signature(program_.snapshot().signature(item_)),
      interface(program_.get<infer::InterfaceOf>(item_)),
      quotients(program_.get<infer::QuotientsOf>(item_)),
      tree(program_.snapshot().tree(item_)),
      file(program_.snapshot().item_key(item_).file),
      begin(program_.snapshot().item_begin(item_)),
      draws(program_.draws(item_) ? program_.elaborate(item_) : draws::Elaboration()) {}

/// Do annotations say where the coordinator is in the timeline, `@in { input: node(tmln.x) }`? Then
/// it is there because the text says so, and not because of what was done.
static auto says_event(const hir::Function& function) -> bool {
  const auto& all = function.instructions.values();
  return std::any_of(all.begin(), all.end(), [](const Instruction& instruction) {
    return instruction.opcode == hir::Opcode::Annotate && !instruction.place.has_value() &&
           instruction.operands.size() == 0;
  });
}

static void begin(FunctionLowering& lowering);
static auto is_said_dead(const FunctionLowering& lowering, uint32_t port) -> bool;
static void lower(FunctionLowering& lowering, const Work& work);

void lower_function(FunctionLowering& lowering) {
  Function& function = lowering.program.program().functions[lowering.id];
  if (lowering.quotients) {
    function.spec = lowering.program.spec_of(lowering.quotients->val);
    lowering.graph = lowering.program.get<infer::SpecificationOf>(lowering.quotients->val)->graph;
  }
  if (auto timeline = lowering.program.get<infer::TimelineQuotientsOf>(lowering.item);
      lowering.function && timeline && timeline->problems.empty() &&
      !says_event(*lowering.function)) {
    lowering.timeline = std::move(timeline);
    lowering.timeline_interface = lowering.program.get<infer::TimelineInterfaceOf>(lowering.item);
    lowering.timeline_graph =
        lowering.program.get<infer::SpecificationOf>(lowering.timeline->tmln)->graph;
    lowering.program.program().functions[lowering.id].timeline =
        lowering.program.spec_of(lowering.timeline->tmln);
  }
  if (!lowering.function) {
    // A body that is missing is a hole.
    lowering.program.program().functions[lowering.id].entry = lowering.current =
        new_funclet(lowering, {}, {}, {});
    fail(lowering, FailReason::Hole, {}, 0);
    return;
  }
  lowering.facts.emplace(lowering.program, *lowering.function);
  begin(lowering);
  while (!lowering.to_do.empty()) {
    const Work work = std::move(lowering.to_do.back());
    lowering.to_do.pop_back();
    lower(lowering, work);
  }
}

auto new_funclet(FunctionLowering& lowering, std::vector<Port> results, Quotient event,
                 Quotient event_behind) -> FuncletId {
  Funclet funclet;
  funclet.function = lowering.id;
  funclet.results = std::move(results);
  funclet.event = event;
  funclet.event_behind = event_behind;
  return lowering.program.program().funclets.add(std::move(funclet));
}

auto parameter(FunctionLowering& lowering, FuncletId funclet, const Value& value) -> ValueId {
  Funclet& data = lowering.program.program().funclets[funclet];
  ++data.n_parameters;
  return data.values.add(value);
}

/// What an encoder or future of the head is in the timeline.
static auto timeline_port(const infer::Interface& interface, const infer::SpecGraph& timeline,
                          uint32_t port, bool is_parameter) -> Quotient {
  const std::vector<infer::PortQuotient>& ports =
      is_parameter ? interface.parameter_quotients : interface.result_quotients;
  if (port >= ports.size()) {
    return {};
  }
  switch (ports[port].kind) {
    case infer::PortQuotient::Kind::Ordinal:
      return {is_parameter ? QuotientKind::Input : QuotientKind::Output, ports[port].number};
    case infer::PortQuotient::Kind::Named:
      return {QuotientKind::Node, timeline.find(ports[port].name).index};
    case infer::PortQuotient::Kind::NoValue:
    case infer::PortQuotient::Kind::None:
    case infer::PortQuotient::Kind::Surplus:
    case infer::PortQuotient::Kind::Dropped:
      return {};
  }
  return {};
}

/// The results of the function, as its head says what they are.
static auto head_results(FunctionLowering& lowering) -> std::vector<Port> {
  std::vector<Port> results;
  for (uint32_t i = 0; i < lowering.function->results.size(); ++i) {
    const hir::Port& port = lowering.function->results[i];
    const TypeId type = port_type(lowering.program, *lowering.signature, false, port, true);
    Quotient quotient;
    if (lowering.graph && i < lowering.interface->result_quotients.size()) {
      const infer::PortQuotient& given = lowering.interface->result_quotients[i];
      if (given.kind == infer::PortQuotient::Kind::Ordinal) {
        quotient = {QuotientKind::Output, given.number};
      } else if (given.kind == infer::PortQuotient::Kind::Named) {
        quotient = {QuotientKind::Node, lowering.graph->find(given.name).index};
      }
    }
    results.push_back({type, tags(lowering, type, quotient)});
    if (lowering.timeline) {
      results.back().tags.tmln.quotient =
          timeline_port(*lowering.timeline_interface, *lowering.timeline_graph, i, false);
    }
  }
  return results;
}

/// The first funclet: grid, parameters, and the variables that have an address.
static void begin(FunctionLowering& lowering) {
  const Quotient begin = lowering.timeline ? Quotient{QuotientKind::Input, 0} : Quotient();
  const Quotient end = lowering.timeline ? Quotient{QuotientKind::Output, 0} : Quotient();
  const FuncletId entry = new_funclet(lowering, head_results(lowering), begin, end);
  lowering.program.program().functions[lowering.id].entry = entry;
  Work work;
  work.funclet = entry;
  work.block = BlockId{0};
  const std::vector<bool>& is_written =
      lowering.program.get<infer::WrittenParametersOf>(lowering.item);
  std::vector<Value> parameters(lowering.signature->n_dims + lowering.function->parameters.size());
  for (uint32_t i = 0; i < lowering.signature->n_dims; ++i) {
    parameters[i].type = lowering.program.type(types::TypeStore::kI32);
  }
  for (InstructionId id : lowering.function->blocks[BlockId{0}].instructions) {
    const Instruction& instruction = lowering.function->instructions[id];
    const bool is_dimension = instruction.opcode == hir::Opcode::Dimension;
    if (!is_dimension && instruction.opcode != hir::Opcode::Parameter) {
      continue;
    }
    const uint32_t at = instruction.number + (is_dimension ? 0 : lowering.signature->n_dims);
    if (at >= parameters.size()) {
      continue;
    }
    Value& value = parameters[at];
    value.name = lowering.program.name(
        lowering.function->values[lowering.function->result_of(instruction)].name);
    Quotient quotient = quotient_of(lowering, lowering.function->result_of(instruction));
    if (!is_dimension) {
      value.type =
          port_type(lowering.program, *lowering.signature, true,
                    lowering.function->parameters[instruction.number],
                    instruction.number < is_written.size() && is_written[instruction.number]);
      if (lowering.graph && instruction.number < lowering.interface->parameter_quotients.size()) {
        const infer::PortQuotient& given =
            lowering.interface->parameter_quotients[instruction.number];
        if (given.kind == infer::PortQuotient::Kind::Ordinal) {
          quotient = {QuotientKind::Input, given.number};
        }
      }
    }
    value.tags = tags(lowering, value.type, quotient);
    if (!is_dimension && lowering.timeline) {
      value.tags.tmln.quotient = timeline_port(*lowering.timeline_interface,
                                               *lowering.timeline_graph, instruction.number, true);
    }
    if (!is_dimension && is_said_dead(lowering, instruction.number)) {
      value.tags.val = {{}, Flow::Dead};
    }
    work.bindings.push_back({{Thing::Kind::Value, instruction.results.begin}, ValueId{at}});
  }
  for (const Value& value : parameters) {
    parameter(lowering, entry, value);
  }
  lowering.to_do.push_back(std::move(work));
}

/// `&i64 @ none(val)-dead`: a place to put something into. A field that is not read may be absent
/// too.
static auto is_said_dead(const FunctionLowering& lowering, uint32_t port) -> bool {
  if (port >= lowering.interface->parameter_quotients.size()) {
    return false;
  }
  if (lowering.function->parameters[port].field.has_value()) {
    const auto& flows = lowering.program.get<flow::PortFlowsOf>(lowering.item);
    const flow::NeededParametersOf::Value& needed =
        lowering.program.get<flow::NeededParametersOf>(lowering.item);
    return (flows && !flows->has_value(port)) ||
           (port < needed.size() && needed[port] == flow::Need::None);
  }
  const infer::PortQuotient& quotient = lowering.interface->parameter_quotients[port];
  const syntax::Node tag = node_at(lowering, quotient.node);
  return quotient.kind == infer::PortQuotient::Kind::None &&
         tag.child(syntax::Field::Flow).text() == "-dead";
}

/// Variables whose address is taken live in memory as long as the function.
static void allocate(FunctionLowering& lowering) {
  for (uint32_t place = 0; place < lowering.function->places.size(); ++place) {
    if (lowering.facts->storage({place}) != Storage::Allocated) {
      continue;
    }
    const hir::Place& data = lowering.function->places[PlaceId{place}];
    Type type = lowering.program.program().types[lowering.program.type(data.type)];
    type.kind = TypeKind::Variable;
    Value variable;
    variable.type = lowering.program.type(type);
    variable.name = lowering.program.name(data.name);
    variable.tags.val.flow = Flow::Dead;
    Command command;
    command.opcode = Opcode::Allocate;
    command.source = source(lowering, data.node);
    lowering.owners.emplace_back(place, emit(lowering, command, {}, {variable}));
    Value reference = variable;
    reference.type = type_of(lowering, PlaceId{place});
    reference.tags.sptl.flow = Flow::Saved;
    command.opcode = Opcode::Borrow;
    lowering.places[place] = emit(lowering, command, {lowering.owners.back().second}, {reference});
  }
}

void bind_values(FunctionLowering& lowering, const std::vector<Binding>& bindings) {
  lowering.values.clear();
  lowering.places.clear();
  lowering.owners.clear();
  lowering.fetched.clear();
  lowering.contents.clear();
  for (const Binding& binding : bindings) {
    switch (binding.thing.kind) {
      case Thing::Kind::Value:
        lowering.values[binding.thing.index] = binding.value;
        break;
      case Thing::Kind::Place:
        lowering.places[binding.thing.index] = binding.value;
        break;
      case Thing::Kind::Owner:
        lowering.owners.emplace_back(binding.thing.index, binding.value);
        break;
    }
  }
}

static void lower(FunctionLowering& lowering, const Work& work) {
  lowering.current = work.funclet;
  lowering.event = current_funclet(lowering).event;
  if (lowering.event.kind == QuotientKind::Input) {
    lowering.event = {QuotientKind::Node,
                      lowering.timeline_graph->inputs[lowering.event.index].index};
  }
  bind_values(lowering, work.bindings);
  if (work.block.index == 0 && work.first == 0) {
    allocate(lowering);
  }
  if (work.call.has_value()) {
    take_results(lowering, work);
  }
  const hir::Block& block = lowering.function->blocks[work.block];
  for (size_t i = work.first; i < block.instructions.size(); ++i) {
    const InstructionId id = block.instructions[i];
    const Instruction& instruction = lowering.function->instructions[id];
    if (instruction.opcode == hir::Opcode::Call &&
        lowering.program.is_coordinator(instruction.item)) {
      call(lowering, instruction, id, work.block, i);
      return;
    }
    command(lowering, instruction, id);
  }
  switch (block.terminator.kind) {
    case hir::TerminatorKind::Jump:
      jump(lowering, block.terminator.targets[0]);
      return;
    case hir::TerminatorKind::Branch:
      branch(lowering, block.terminator);
      return;
    case hir::TerminatorKind::Return:
    case hir::TerminatorKind::None:
      give_back(lowering, block.terminator);
      return;
  }
}

}  // namespace tacet::cps
