#include <algorithm>

#include "compiler/run/cps/lowering.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cps {

using hir::Instruction;
using hir::InstructionId;
using hir::PlaceId;
using syntax::Field;

auto FunctionLowering::node(uint32_t index) const -> syntax::Node {
  return index == hir::kNoNode ? syntax::Node() : syntax::Node(tree_.get(), index);
}

auto FunctionLowering::source(syntax::Node node) -> uint32_t {
  return node ? program_.place({file_, node.range().shifted(begin_)}) : hir::kNoNode;
}

auto FunctionLowering::source(uint32_t node) -> uint32_t {
  return source(this->node(node));
}

auto FunctionLowering::type_of(hir::ValueId value) -> TypeId {
  const types::TypeId type = function_->values[value].type;
  if (program_.source_types()[type].kind == types::TypeKind::Reference) {
    Type reference = program_.program().types[program_.type(type)];
    reference.kind = TypeKind::MutableReference;
    return program_.type(reference);
  }
  return program_.type(type, facts_->is_remote(value) ? TypeKind::Remote : TypeKind::Value);
}

auto FunctionLowering::type_of(PlaceId place) -> TypeId {
  const TypeKind kind = facts_->storage(place) != Storage::Promoted ? TypeKind::MutableReference
                        : facts_->is_remote(place)                  ? TypeKind::Remote
                                                                    : TypeKind::Value;
  const TypeId type = program_.type(function_->places[place].type, kind);
  if (program_.program().types[type].kind != TypeKind::Reference &&
      kind != TypeKind::MutableReference) {
    return type;
  }
  Type reference = program_.program().types[type];
  reference.kind = TypeKind::MutableReference;
  return program_.type(reference);
}

/// A reference that is only read may be handed in from any other. One that may come back as a
/// result counts as written: who gets it may write through it.
auto port_type(ProgramLowering& program, const types::Signature& signature, bool is_parameter,
               const hir::Port& port, bool is_written) -> TypeId {
  const types::TypeStore& types = program.source_types();
  const types::TypeId whole =
      is_parameter ? signature.parameters[port.ordinal].type : signature.results[port.ordinal].type;
  const types::TypeKind kind = types[whole].kind;
  if (port.field.has_value() &&
      (kind == types::TypeKind::Encoder || kind == types::TypeKind::Future)) {
    return program.type(port.type, TypeKind::Remote);
  }
  const TypeId type = program.type(port.type);
  if (types[port.type].kind != types::TypeKind::Reference) {
    return type;
  }
  is_written =
      is_written || std::any_of(signature.results.begin(), signature.results.end(),
                                [&](const types::SignatureResult& result) {
                                  return types[result.type].kind == types::TypeKind::Reference;
                                });
  Type reference = program.program().types[type];
  reference.kind = is_written ? TypeKind::MutableReference : TypeKind::Reference;
  return program.type(reference);
}

auto FunctionLowering::quotient(hir::ValueId value) const -> Quotient {
  if (!quotients_ || value.index >= quotients_->of_value.size() ||
      !quotients_->of_value[value.index].has_value()) {
    return {};
  }
  return {QuotientKind::Node, quotients_->of_value[value.index].index};
}

static auto as_node(const std::vector<infer::SpecNodeId>& nodes, uint32_t at) -> Quotient {
  return at < nodes.size() && nodes[at].has_value() ? Quotient{QuotientKind::Node, nodes[at].index}
                                                    : Quotient();
}

auto FunctionLowering::timeline_quotient(hir::ValueId value) const -> Quotient {
  return timeline_ ? as_node(timeline_->of_value, value.index) : Quotient();
}

auto FunctionLowering::event_at_begin(hir::BlockId block) const -> Quotient {
  return timeline_ ? as_node(timeline_->event_at_begin, block.index) : Quotient();
}

auto FunctionLowering::event_after(InstructionId instruction) const -> Quotient {
  return timeline_ ? as_node(timeline_->event_after, instruction.index) : Quotient();
}

auto FunctionLowering::step(InstructionId instruction) const -> Quotient {
  return timeline_ ? as_node(timeline_->of_instruction, instruction.index) : Quotient();
}

/// Behind the first funclet an input is a node like others.
auto FunctionLowering::inside(Quotient quotient) const -> Quotient {
  if (quotient.kind == QuotientKind::Input && graph_ && quotient.index < graph_->inputs.size()) {
    return {QuotientKind::Node, graph_->inputs[quotient.index].index};
  }
  return quotient;
}

auto FunctionLowering::tags(TypeId type, Quotient quotient) const -> Tags {
  Tags tags;
  tags.val.quotient = quotient;
  const TypeKind kind = program_.program().types[type].kind;
  if (kind == TypeKind::Reference || kind == TypeKind::MutableReference) {
    tags.sptl.flow = Flow::Saved;
  }
  return tags;
}

auto FunctionLowering::result_value(const Instruction& instruction, uint32_t i) -> Value {
  const hir::ValueId value{instruction.results.begin + i};
  const TypeId type = type_of(value);
  return {type, tags(type, quotient(value)), program_.name(function_->values[value].name)};
}

auto FunctionLowering::content(ValueId value) -> Tag& {
  return contents_.try_emplace(value.index, funclet().values[value].tags.val).first->second;
}

/// Appends a command. Gives the first of its results.
auto FunctionLowering::emit(Command command, const std::vector<ValueId>& operands,
                            const std::vector<Value>& results) -> ValueId {
  Funclet& funclet = this->funclet();
  command.operands = slice(operands);
  command.results.begin = static_cast<uint32_t>(funclet.values.size());
  for (const Value& result : results) {
    funclet.values.add(result);
  }
  command.results.end = static_cast<uint32_t>(funclet.values.size());
  funclet.commands.push_back(command);
  return {command.results.begin};
}

auto FunctionLowering::undefined(TypeId type, NameId name) -> ValueId {
  Value value{type, tags(type, {}), name};
  value.tags.val.flow = Flow::Dead;
  Command command;
  command.opcode = Opcode::Undefined;
  return emit(command, {}, {value});
}

auto FunctionLowering::any(hir::ValueId value) -> ValueId {
  auto [at, is_new] = values_.try_emplace(value.index);
  if (is_new) {
    at->second = undefined(type_of(value), program_.name(function_->values[value].name));
  }
  return at->second;
}

auto FunctionLowering::local(hir::ValueId value) -> ValueId {
  const ValueId there = any(value);
  if (kind(there) != TypeKind::Remote) {
    return there;
  }
  if (auto found = fetched_.find(there.index); found != fetched_.end()) {
    return found->second;
  }
  Value here = funclet().values[there];
  here.tags.val.quotient = inside(here.tags.val.quotient);
  here.type = program_.type(function_->values[value].type);
  Command command;
  command.opcode = Opcode::Fetch;
  command.source = source(function_->values[value].node);
  const ValueId brought = emit(command, {there}, {here});
  fetched_.emplace(there.index, brought);
  return brought;
}

auto FunctionLowering::convert(ValueId value, TypeId type) -> ValueId {
  const TypeId from = funclet().values[value].type;
  const Type& wanted = program_.program().types[type];
  if (from == type || wanted.kind != TypeKind::Value || kind(value) != TypeKind::Value) {
    return value;
  }
  Value result = funclet().values[value];
  result.type = type;
  result.name = {};
  result.tags.val.quotient = inside(result.tags.val.quotient);
  Command command;
  command.opcode = Opcode::Convert;
  return emit(command, {value}, {result});
}

/// The value as the node that it is said to be.
auto FunctionLowering::proven(ValueId value, Quotient quotient) -> ValueId {
  const Quotient has = has_content(kind(value)) ? content(value).quotient
                                                : funclet().values[value].tags.val.quotient;
  if (quotient.kind == QuotientKind::None || inside(has) == quotient) {
    return value;
  }
  Value result = funclet().values[value];
  result.tags.val = {quotient, Flow::Usable};
  Command command;
  command.opcode = Opcode::Assume;
  return emit(command, {value}, {result});
}

auto FunctionLowering::place(PlaceId place) -> ValueId {
  auto [at, is_new] = places_.try_emplace(place.index);
  if (is_new) {
    at->second = undefined(type_of(place), program_.name(function_->places[place].name));
  }
  return at->second;
}

void FunctionLowering::fail(FailReason reason, std::string_view what, uint32_t node) {
  Command command;
  command.opcode = Opcode::Fail;
  command.reason = reason;
  command.text = what.empty() ? NameId() : program_.name(what);
  command.source = source(node);
  emit(command, {}, {});
}

void FunctionLowering::unsupported(syntax::Node at, std::string what) {
  program_.unsupported({file_, at.range().shifted(begin_)}, what);
  fail(FailReason::Unsupported, what, at.index());
}

void FunctionLowering::literal(const Instruction& instruction) {
  const Value value = result_value(instruction);
  Command command;
  command.opcode = Opcode::Constant;
  command.source = source(instruction.node);
  std::vector<uint64_t>& cells = funclet().cells;
  command.cells.begin = static_cast<uint32_t>(cells.size());
  cells.push_back(interpret::literal_cell(program_.program().types[value.type].element,
                                          node(instruction.node).text()));
  command.cells.end = command.cells.begin + 1;
  set_result(instruction, emit(command, {}, {value}));
}

void FunctionLowering::constant(const Instruction& instruction) {
  const Value value = result_value(instruction);
  const auto constant =
      interpret::constant_cells(program_.snapshot(), instruction.item,
                                function_->values[function_->result_of(instruction)].type);
  if (!constant) {
    unsupported(node(instruction.node), "the use of this name as a value");
    set_result(instruction, undefined(value.type, value.name));
    return;
  }
  Command command;
  command.opcode = Opcode::Constant;
  command.source = source(instruction.node);
  command.text = program_.item_name(instruction.item);
  std::vector<uint64_t>& cells = funclet().cells;
  command.cells.begin = static_cast<uint32_t>(cells.size());
  cells.insert(cells.end(), constant->begin(), constant->end());
  command.cells.end = static_cast<uint32_t>(cells.size());
  set_result(instruction, emit(command, {}, {value}));
}

void FunctionLowering::binary(const Instruction& instruction) {
  std::span<const hir::ValueId> operands = function_->operands_of(instruction);
  std::array<ValueId, 2> values = {local(operands[0]), local(operands[1])};
  auto type = [&](size_t i) { return program_.program().types[funclet().values[values[i]].type]; };
  // An integer beside a fixed-point number becomes one.
  const engine::ElementType element =
      type(1).element.kind == engine::ElementKind::Fxp ? type(1).element : type(0).element;
  for (size_t i = 0; i < 2; ++i) {
    Type wanted = type(i);
    wanted.element = element;
    values[i] = convert(values[i], program_.type(wanted));
  }
  Command command;
  command.opcode = Opcode::Binary;
  command.op = instruction.op;
  command.source = source(instruction.node);
  set_result(instruction, emit(command, {values[0], values[1]}, {result_value(instruction)}));
}

void FunctionLowering::plain(const Instruction& instruction, InstructionId id, Opcode opcode) {
  std::vector<ValueId> values;
  for (hir::ValueId operand : function_->operands_of(instruction)) {
    values.push_back(local(operand));
  }
  Command command;
  command.opcode = opcode;
  command.op = instruction.op;
  command.device = instruction.device;
  command.node = step(id);
  command.source = source(instruction.node);
  std::vector<Value> results;
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    results.push_back(result_value(instruction, i));
    results.back().tags.tmln.quotient = timeline_quotient({instruction.results.begin + i});
  }
  const ValueId result = emit(command, values, results);
  if (!results.empty()) {
    set_result(instruction, result);
  }
  if (command.node.kind != QuotientKind::None) {
    event_ = event_after(id);
  }
}

void FunctionLowering::command(const Instruction& instruction, InstructionId id) {
  switch (instruction.opcode) {
    case hir::Opcode::Parameter:
    case hir::Opcode::Dimension:
    case hir::Opcode::Annotate:
    case hir::Opcode::Overwritten:
    case hir::Opcode::Phi:  // not in this form
      return;
    case hir::Opcode::Literal:
      literal(instruction);
      return;
    case hir::Opcode::Constant:
      constant(instruction);
      return;
    case hir::Opcode::Undefined:
      set_result(instruction, any(function_->result_of(instruction)));
      return;
    case hir::Opcode::Copy: {
      const ValueId value = any(function_->operands_of(instruction)[0]);
      const bool can_copy = kind(value) == TypeKind::Value || kind(value) == TypeKind::Remote;
      set_result(instruction, can_copy ? copy(value) : value);
      return;
    }
    case hir::Opcode::Unary:
      plain(instruction, id, Opcode::Unary);
      return;
    case hir::Opcode::Binary:
      binary(instruction);
      return;
    case hir::Opcode::Cast:
      plain(instruction, id, Opcode::Cast);
      return;
    case hir::Opcode::Array:
      plain(instruction, id, Opcode::Array);
      return;
    case hir::Opcode::Index:
      plain(instruction, id, Opcode::Index);
      return;
    case hir::Opcode::Pattern:
    case hir::Opcode::Update:
      formula(instruction);
      return;
    case hir::Opcode::Choose:
      set_result(instruction,
                 proven(place(instruction.place), quotient(function_->result_of(instruction))));
      return;
    case hir::Opcode::Peek:
      peek(instruction);
      return;
    case hir::Opcode::Poke:
      poke(instruction);
      return;
    case hir::Opcode::Opaque:
      unsupported(node(instruction.node),
                  "this use of a reference that may refer to one of several variables");
      return;
    case hir::Opcode::Load:
      load(instruction);
      return;
    case hir::Opcode::Store:
      store(instruction);
      return;
    case hir::Opcode::Borrow:
      set_result(instruction, place(instruction.place));
      return;
    case hir::Opcode::Written:
      // What the place is now, if the text says so.
      places_[instruction.place.index] =
          proven(place(instruction.place), quotient(function_->result_of(instruction)));
      return;
    case hir::Opcode::Call:
    case hir::Opcode::EncodeCall:
      kernel(instruction, id);
      return;
    case hir::Opcode::EncodeBegin:
      plain(instruction, id, Opcode::EncodeBegin);
      return;
    case hir::Opcode::EncodeCopy:
      encode_copy(instruction);
      return;
    case hir::Opcode::Submit:
      plain(instruction, id, Opcode::Submit);
      return;
    case hir::Opcode::Await:
      plain(instruction, id, Opcode::Await);
      return;
    case hir::Opcode::Hole:
      fail(FailReason::Hole, {}, instruction.node);
      // What is behind is never run, but funclets that it is handed to are checked.
      for (uint32_t i = 0; i < instruction.results.size(); ++i) {
        values_[instruction.results.begin + i] = emit({}, {}, {result_value(instruction, i)});
      }
      return;
  }
}

}  // namespace tacet::cps
