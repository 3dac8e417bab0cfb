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

FunctionLowering::FunctionLowering(ProgramLowering& program, FunctionId id, names::ItemId item)
    : program_(program),
      id_(id),
      item_(item),
      function_(program.get<hir::FunctionOf>(item)),
      ssa_(program.get<hir::SsaOf>(item)),
      signature_(program.snapshot().signature(item)),
      interface_(program.get<infer::InterfaceOf>(item)),
      quotients_(program.get<infer::QuotientsOf>(item)),
      tree_(program.snapshot().tree(item)),
      file_(program.snapshot().item_key(item).file),
      begin_(program.snapshot().item_begin(item)),
      draws_(program.draws(item) ? program.elaborate(item) : draws::Elaboration()) {}

/// Do annotations say where the coordinator is in the timeline, `@in { input: node(tmln.x) }`? Then
/// it is there because the text says so, and not because of what was done.
static auto says_event(const hir::Function& function) -> bool {
  const auto& all = function.instructions.values();
  return std::any_of(all.begin(), all.end(), [](const Instruction& instruction) {
    return instruction.opcode == hir::Opcode::Annotate && !instruction.place.has_value() &&
           instruction.operands.size() == 0;
  });
}

void FunctionLowering::run() {
  Function& function = program_.program().functions[id_];
  if (quotients_) {
    function.spec = program_.spec_of(quotients_->val);
    graph_ = program_.get<infer::SpecificationOf>(quotients_->val)->graph;
  }
  if (auto timeline = program_.get<infer::TimelineQuotientsOf>(item_);
      function_ && timeline && timeline->problems.empty() && !says_event(*function_)) {
    timeline_ = std::move(timeline);
    timeline_interface_ = program_.get<infer::TimelineInterfaceOf>(item_);
    timeline_graph_ = program_.get<infer::SpecificationOf>(timeline_->tmln)->graph;
    program_.program().functions[id_].timeline = program_.spec_of(timeline_->tmln);
  }
  if (!function_) {
    // A body that is missing is a hole.
    program_.program().functions[id_].entry = current_ = new_funclet({}, {}, {});
    fail(FailReason::Hole, {}, 0);
    return;
  }
  facts_.emplace(program_, *function_);
  begin();
  while (!to_do_.empty()) {
    const Work work = std::move(to_do_.back());
    to_do_.pop_back();
    lower(work);
  }
}

auto FunctionLowering::new_funclet(std::vector<Port> results, Quotient event, Quotient event_behind)
    -> FuncletId {
  Funclet funclet;
  funclet.function = id_;
  funclet.results = std::move(results);
  funclet.event = event;
  funclet.event_behind = event_behind;
  return program_.program().funclets.add(std::move(funclet));
}

auto FunctionLowering::parameter(FuncletId funclet, const Value& value) -> ValueId {
  Funclet& data = program_.program().funclets[funclet];
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
auto FunctionLowering::head_results() -> std::vector<Port> {
  std::vector<Port> results;
  for (uint32_t i = 0; i < function_->results.size(); ++i) {
    const hir::Port& port = function_->results[i];
    const TypeId type = port_type(program_, *signature_, false, port, true);
    Quotient quotient;
    if (graph_ && i < interface_->result_quotients.size()) {
      const infer::PortQuotient& given = interface_->result_quotients[i];
      if (given.kind == infer::PortQuotient::Kind::Ordinal) {
        quotient = {QuotientKind::Output, given.number};
      } else if (given.kind == infer::PortQuotient::Kind::Named) {
        quotient = {QuotientKind::Node, graph_->find(given.name).index};
      }
    }
    results.push_back({type, tags(type, quotient)});
    if (timeline_) {
      results.back().tags.tmln.quotient =
          timeline_port(*timeline_interface_, *timeline_graph_, i, false);
    }
  }
  return results;
}

/// The first funclet: grid, parameters, and the variables that have an address.
void FunctionLowering::begin() {
  const Quotient begin = timeline_ ? Quotient{QuotientKind::Input, 0} : Quotient();
  const Quotient end = timeline_ ? Quotient{QuotientKind::Output, 0} : Quotient();
  const FuncletId entry = new_funclet(head_results(), begin, end);
  program_.program().functions[id_].entry = entry;
  Work work;
  work.funclet = entry;
  work.block = BlockId{0};
  const std::vector<bool>& is_written = program_.get<infer::WrittenParametersOf>(item_);
  std::vector<Value> parameters(signature_->n_dims + function_->parameters.size());
  for (uint32_t i = 0; i < signature_->n_dims; ++i) {
    parameters[i].type = program_.type(types::TypeStore::kI32);
  }
  for (InstructionId id : function_->blocks[BlockId{0}].instructions) {
    const Instruction& instruction = function_->instructions[id];
    const bool is_dimension = instruction.opcode == hir::Opcode::Dimension;
    if (!is_dimension && instruction.opcode != hir::Opcode::Parameter) {
      continue;
    }
    const uint32_t at = instruction.number + (is_dimension ? 0 : signature_->n_dims);
    if (at >= parameters.size()) {
      continue;
    }
    Value& value = parameters[at];
    value.name = program_.name(function_->values[function_->result_of(instruction)].name);
    Quotient quotient = this->quotient(function_->result_of(instruction));
    if (!is_dimension) {
      value.type =
          port_type(program_, *signature_, true, function_->parameters[instruction.number],
                    instruction.number < is_written.size() && is_written[instruction.number]);
      if (graph_ && instruction.number < interface_->parameter_quotients.size()) {
        const infer::PortQuotient& given = interface_->parameter_quotients[instruction.number];
        if (given.kind == infer::PortQuotient::Kind::Ordinal) {
          quotient = {QuotientKind::Input, given.number};
        }
      }
    }
    value.tags = tags(value.type, quotient);
    if (!is_dimension && timeline_) {
      value.tags.tmln.quotient =
          timeline_port(*timeline_interface_, *timeline_graph_, instruction.number, true);
    }
    if (!is_dimension && is_said_dead(instruction.number)) {
      value.tags.val = {{}, Flow::Dead};
    }
    work.bindings.push_back({{Thing::Kind::Value, instruction.results.begin}, ValueId{at}});
  }
  for (const Value& value : parameters) {
    parameter(entry, value);
  }
  to_do_.push_back(std::move(work));
}

/// `&i64 @ none(val)-dead`: a place to put something into. A field that is not looked at need not
/// be there either.
auto FunctionLowering::is_said_dead(uint32_t port) const -> bool {
  if (port >= interface_->parameter_quotients.size()) {
    return false;
  }
  if (function_->parameters[port].field.has_value()) {
    const auto& flows = program_.get<flow::PortFlowsOf>(item_);
    const flow::NeededParametersOf::Value& needed = program_.get<flow::NeededParametersOf>(item_);
    return (flows && !flows->has_value(port)) ||
           (port < needed.size() && needed[port] == flow::Need::None);
  }
  const infer::PortQuotient& quotient = interface_->parameter_quotients[port];
  const syntax::Node tag = node(quotient.node);
  return quotient.kind == infer::PortQuotient::Kind::None &&
         tag.child(syntax::Field::Flow).text() == "-dead";
}

/// Variables whose address is taken live in memory as long as the function.
void FunctionLowering::allocate() {
  for (uint32_t place = 0; place < function_->places.size(); ++place) {
    if (facts_->storage({place}) != Storage::Allocated) {
      continue;
    }
    const hir::Place& data = function_->places[PlaceId{place}];
    Type type = program_.program().types[program_.type(data.type)];
    type.kind = TypeKind::Variable;
    Value variable;
    variable.type = program_.type(type);
    variable.name = program_.name(data.name);
    variable.tags.val.flow = Flow::Dead;
    Command command;
    command.opcode = Opcode::Allocate;
    command.source = source(data.node);
    owners_.emplace_back(place, emit(command, {}, {variable}));
    Value reference = variable;
    reference.type = type_of(PlaceId{place});
    reference.tags.sptl.flow = Flow::Saved;
    command.opcode = Opcode::Borrow;
    places_[place] = emit(command, {owners_.back().second}, {reference});
  }
}

void FunctionLowering::bind(const std::vector<Binding>& bindings) {
  values_.clear();
  places_.clear();
  owners_.clear();
  fetched_.clear();
  contents_.clear();
  for (const Binding& binding : bindings) {
    switch (binding.thing.kind) {
      case Thing::Kind::Value:
        values_[binding.thing.index] = binding.value;
        break;
      case Thing::Kind::Place:
        places_[binding.thing.index] = binding.value;
        break;
      case Thing::Kind::Owner:
        owners_.emplace_back(binding.thing.index, binding.value);
        break;
    }
  }
}

void FunctionLowering::lower(const Work& work) {
  current_ = work.funclet;
  event_ = funclet().event;
  if (event_.kind == QuotientKind::Input) {
    event_ = {QuotientKind::Node, timeline_graph_->inputs[event_.index].index};
  }
  bind(work.bindings);
  if (work.block.index == 0 && work.first == 0) {
    allocate();
  }
  if (work.call.has_value()) {
    take_results(work);
  }
  const hir::Block& block = function_->blocks[work.block];
  for (size_t i = work.first; i < block.instructions.size(); ++i) {
    const InstructionId id = block.instructions[i];
    const Instruction& instruction = function_->instructions[id];
    if (instruction.opcode == hir::Opcode::Call && program_.is_coordinator(instruction.item)) {
      call(instruction, id, work.block, i);
      return;
    }
    command(instruction, id);
  }
  switch (block.terminator.kind) {
    case hir::TerminatorKind::Jump:
      jump(block.terminator.targets[0]);
      return;
    case hir::TerminatorKind::Branch:
      branch(block.terminator);
      return;
    case hir::TerminatorKind::Return:
    case hir::TerminatorKind::None:
      give_back(block.terminator);
      return;
  }
}

}  // namespace tacet::cps
