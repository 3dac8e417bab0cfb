#include <algorithm>

#include "compiler/run/cps/lowering.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cps {

using hir::Instruction;
using hir::InstructionId;
using hir::PlaceId;
using syntax::Field;

auto node_at(const FunctionLowering& lowering, uint32_t index) -> syntax::Node {
  return index == hir::kNoNode ? syntax::Node() : syntax::Node(lowering.tree.get(), index);
}

auto source(FunctionLowering& lowering, syntax::Node node) -> uint32_t {
  return node ? lowering.program.place({lowering.file, node.range().shifted(lowering.begin)})
              : hir::kNoNode;
}

auto source(FunctionLowering& lowering, uint32_t node) -> uint32_t {
  return source(lowering, node_at(lowering, node));
}

auto type_of(FunctionLowering& lowering, hir::ValueId value) -> TypeId {
  const types::TypeId type = lowering.function->values[value].type;
  if (lowering.program.source_types()[type].kind == types::TypeKind::Reference) {
    Type reference = lowering.program.program().types[lowering.program.type(type)];
    reference.kind = TypeKind::MutableReference;
    return lowering.program.type(reference);
  }
  return lowering.program.type(
      type, lowering.facts->is_remote(value) ? TypeKind::Remote : TypeKind::Value);
}

auto type_of(FunctionLowering& lowering, PlaceId place) -> TypeId {
  const TypeKind kind = lowering.facts->storage(place) != Storage::Promoted
                            ? TypeKind::MutableReference
                        : lowering.facts->is_remote(place) ? TypeKind::Remote
                                                           : TypeKind::Value;
  const TypeId type = lowering.program.type(lowering.function->places[place].type, kind);
  if (lowering.program.program().types[type].kind != TypeKind::Reference &&
      kind != TypeKind::MutableReference) {
    return type;
  }
  Type reference = lowering.program.program().types[type];
  reference.kind = TypeKind::MutableReference;
  return lowering.program.type(reference);
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

auto quotient_of(const FunctionLowering& lowering, hir::ValueId value) -> Quotient {
  if (!lowering.quotients || value.index >= lowering.quotients->of_value.size() ||
      !lowering.quotients->of_value[value.index].has_value()) {
    return {};
  }
  return {QuotientKind::Node, lowering.quotients->of_value[value.index].index};
}

static auto as_node(const std::vector<infer::SpecNodeId>& nodes, uint32_t at) -> Quotient {
  return at < nodes.size() && nodes[at].has_value() ? Quotient{QuotientKind::Node, nodes[at].index}
                                                    : Quotient();
}

auto timeline_quotient(const FunctionLowering& lowering, hir::ValueId value) -> Quotient {
  return lowering.timeline ? as_node(lowering.timeline->of_value, value.index) : Quotient();
}

auto event_at_begin(const FunctionLowering& lowering, hir::BlockId block) -> Quotient {
  return lowering.timeline ? as_node(lowering.timeline->event_at_begin, block.index) : Quotient();
}

auto event_after(const FunctionLowering& lowering, InstructionId instruction) -> Quotient {
  return lowering.timeline ? as_node(lowering.timeline->event_after, instruction.index)
                           : Quotient();
}

auto step(const FunctionLowering& lowering, InstructionId instruction) -> Quotient {
  return lowering.timeline ? as_node(lowering.timeline->of_instruction, instruction.index)
                           : Quotient();
}

/// Behind the first funclet an input is a node like others.
auto inside(const FunctionLowering& lowering, Quotient quotient) -> Quotient {
  if (quotient.kind == QuotientKind::Input && lowering.graph &&
      quotient.index < lowering.graph->inputs.size()) {
    return {QuotientKind::Node, lowering.graph->inputs[quotient.index].index};
  }
  return quotient;
}

auto tags(const FunctionLowering& lowering, TypeId type, Quotient quotient) -> Tags {
  Tags tags;
  tags.val.quotient = quotient;
  const TypeKind kind = lowering.program.program().types[type].kind;
  if (kind == TypeKind::Reference || kind == TypeKind::MutableReference) {
    tags.sptl.flow = Flow::Saved;
  }
  return tags;
}

auto result_value(FunctionLowering& lowering, const Instruction& instruction, uint32_t i) -> Value {
  const hir::ValueId value{instruction.results.begin + i};
  const TypeId type = type_of(lowering, value);
  return {type, tags(lowering, type, quotient_of(lowering, value)),
          lowering.program.name(lowering.function->values[value].name)};
}

auto content(FunctionLowering& lowering, ValueId value) -> Tag& {
  return lowering.contents
      .try_emplace(value.index, current_funclet(lowering).values[value].tags.val)
      .first->second;
}

/// Appends a command. Gives the first of its results.
auto emit(FunctionLowering& lowering, Command command, const std::vector<ValueId>& operands,
          const std::vector<Value>& results) -> ValueId {
  Funclet& funclet = current_funclet(lowering);
  command.operands = slice(lowering, operands);
  command.results.begin = static_cast<uint32_t>(funclet.values.size());
  for (const Value& result : results) {
    funclet.values.add(result);
  }
  command.results.end = static_cast<uint32_t>(funclet.values.size());
  funclet.commands.push_back(command);
  return {command.results.begin};
}

auto undefined(FunctionLowering& lowering, TypeId type, NameId name) -> ValueId {
  Value value{type, tags(lowering, type, {}), name};
  value.tags.val.flow = Flow::Dead;
  Command command;
  command.opcode = Opcode::Undefined;
  return emit(lowering, command, {}, {value});
}

auto any(FunctionLowering& lowering, hir::ValueId value) -> ValueId {
  auto [at, is_new] = lowering.values.try_emplace(value.index);
  if (is_new) {
    at->second = undefined(lowering, type_of(lowering, value),
                           lowering.program.name(lowering.function->values[value].name));
  }
  return at->second;
}

auto local(FunctionLowering& lowering, hir::ValueId value) -> ValueId {
  const ValueId there = any(lowering, value);
  if (kind_of(lowering, there) != TypeKind::Remote) {
    return there;
  }
  if (auto found = lowering.fetched.find(there.index); found != lowering.fetched.end()) {
    return found->second;
  }
  Value here = current_funclet(lowering).values[there];
  here.tags.val.quotient = inside(lowering, here.tags.val.quotient);
  here.type = lowering.program.type(lowering.function->values[value].type);
  Command command;
  command.opcode = Opcode::Fetch;
  command.source = source(lowering, lowering.function->values[value].node);
  const ValueId brought = emit(lowering, command, {there}, {here});
  lowering.fetched.emplace(there.index, brought);
  return brought;
}

auto convert(FunctionLowering& lowering, ValueId value, TypeId type) -> ValueId {
  const TypeId from = current_funclet(lowering).values[value].type;
  const Type& wanted = lowering.program.program().types[type];
  if (from == type || wanted.kind != TypeKind::Value ||
      kind_of(lowering, value) != TypeKind::Value) {
    return value;
  }
  Value result = current_funclet(lowering).values[value];
  result.type = type;
  result.name = {};
  result.tags.val.quotient = inside(lowering, result.tags.val.quotient);
  Command command;
  command.opcode = Opcode::Convert;
  return emit(lowering, command, {value}, {result});
}

/// The value as the node that it is said to be.
auto proven(FunctionLowering& lowering, ValueId value, Quotient quotient) -> ValueId {
  const Quotient has = has_content(kind_of(lowering, value))
                           ? content(lowering, value).quotient
                           : current_funclet(lowering).values[value].tags.val.quotient;
  if (quotient.kind == QuotientKind::None || inside(lowering, has) == quotient) {
    return value;
  }
  Value result = current_funclet(lowering).values[value];
  result.tags.val = {quotient, Flow::Usable};
  Command command;
  command.opcode = Opcode::Assume;
  return emit(lowering, command, {value}, {result});
}

auto place(FunctionLowering& lowering, PlaceId place) -> ValueId {
  auto [at, is_new] = lowering.places.try_emplace(place.index);
  if (is_new) {
    at->second = undefined(lowering, type_of(lowering, place),
                           lowering.program.name(lowering.function->places[place].name));
  }
  return at->second;
}

void fail(FunctionLowering& lowering, FailReason reason, std::string_view what, uint32_t node) {
  Command command;
  command.opcode = Opcode::Fail;
  command.reason = reason;
  command.text = what.empty() ? NameId() : lowering.program.name(what);
  command.source = source(lowering, node);
  emit(lowering, command, {}, {});
}

void unsupported(FunctionLowering& lowering, syntax::Node at, std::string what) {
  lowering.program.unsupported({lowering.file, at.range().shifted(lowering.begin)}, what);
  fail(lowering, FailReason::Unsupported, what, at.index());
}

static void literal(FunctionLowering& lowering, const Instruction& instruction) {
  const Value value = result_value(lowering, instruction);
  Command command;
  command.opcode = Opcode::Constant;
  command.source = source(lowering, instruction.node);
  std::vector<uint64_t>& cells = current_funclet(lowering).cells;
  command.cells.begin = static_cast<uint32_t>(cells.size());
  cells.push_back(interpret::literal_cell(lowering.program.program().types[value.type].element,
                                          node_at(lowering, instruction.node).text()));
  command.cells.end = command.cells.begin + 1;
  set_result(lowering, instruction, emit(lowering, command, {}, {value}));
}

static void constant(FunctionLowering& lowering, const Instruction& instruction) {
  const Value value = result_value(lowering, instruction);
  const auto constant = interpret::constant_cells(
      lowering.program.snapshot(), instruction.item,
      lowering.function->values[lowering.function->result_of(instruction)].type);
  if (!constant) {
    unsupported(lowering, node_at(lowering, instruction.node), "the use of this name as a value");
    set_result(lowering, instruction, undefined(lowering, value.type, value.name));
    return;
  }
  Command command;
  command.opcode = Opcode::Constant;
  command.source = source(lowering, instruction.node);
  command.text = lowering.program.item_name(instruction.item);
  std::vector<uint64_t>& cells = current_funclet(lowering).cells;
  command.cells.begin = static_cast<uint32_t>(cells.size());
  cells.insert(cells.end(), constant->begin(), constant->end());
  command.cells.end = static_cast<uint32_t>(cells.size());
  set_result(lowering, instruction, emit(lowering, command, {}, {value}));
}

static void binary(FunctionLowering& lowering, const Instruction& instruction) {
  std::span<const hir::ValueId> operands = lowering.function->operands_of(instruction);
  std::array<ValueId, 2> values = {local(lowering, operands[0]), local(lowering, operands[1])};
  auto type = [&](size_t i) {
    return lowering.program.program().types[current_funclet(lowering).values[values[i]].type];
  };
  // An integer beside a fixed-point number becomes one.
  const engine::ElementType element =
      type(1).element.kind == engine::ElementKind::Fxp ? type(1).element : type(0).element;
  for (size_t i = 0; i < 2; ++i) {
    Type wanted = type(i);
    wanted.element = element;
    values[i] = convert(lowering, values[i], lowering.program.type(wanted));
  }
  Command command;
  command.opcode = Opcode::Binary;
  command.op = instruction.op;
  command.source = source(lowering, instruction.node);
  set_result(
      lowering, instruction,
      emit(lowering, command, {values[0], values[1]}, {result_value(lowering, instruction)}));
}

/// The command `opcode` on the operands of `instruction`, all of them here.
static void plain(FunctionLowering& lowering, const Instruction& instruction, InstructionId id,
                  Opcode opcode) {
  std::vector<ValueId> values;
  for (hir::ValueId operand : lowering.function->operands_of(instruction)) {
    values.push_back(local(lowering, operand));
  }
  Command command;
  command.opcode = opcode;
  command.op = instruction.op;
  command.device = instruction.device;
  command.node = step(lowering, id);
  command.source = source(lowering, instruction.node);
  std::vector<Value> results;
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    results.push_back(result_value(lowering, instruction, i));
    results.back().tags.tmln.quotient =
        timeline_quotient(lowering, {instruction.results.begin + i});
  }
  const ValueId result = emit(lowering, command, values, results);
  if (!results.empty()) {
    set_result(lowering, instruction, result);
  }
  if (command.node.kind != QuotientKind::None) {
    lowering.event = event_after(lowering, id);
  }
}

void command(FunctionLowering& lowering, const Instruction& instruction, InstructionId id) {
  switch (instruction.opcode) {
    case hir::Opcode::Parameter:
    case hir::Opcode::Dimension:
    case hir::Opcode::Annotate:
    case hir::Opcode::Overwritten:
    case hir::Opcode::Phi:  // not in this form
      return;
    case hir::Opcode::Literal:
      literal(lowering, instruction);
      return;
    case hir::Opcode::Constant:
      constant(lowering, instruction);
      return;
    case hir::Opcode::Undefined:
      set_result(lowering, instruction, any(lowering, lowering.function->result_of(instruction)));
      return;
    case hir::Opcode::Copy: {
      const ValueId value = any(lowering, lowering.function->operands_of(instruction)[0]);
      const bool can_copy = kind_of(lowering, value) == TypeKind::Value ||
                            kind_of(lowering, value) == TypeKind::Remote;
      set_result(lowering, instruction, can_copy ? copy(lowering, value) : value);
      return;
    }
    case hir::Opcode::Unary:
      plain(lowering, instruction, id, Opcode::Unary);
      return;
    case hir::Opcode::Binary:
      binary(lowering, instruction);
      return;
    case hir::Opcode::Cast:
      plain(lowering, instruction, id, Opcode::Cast);
      return;
    case hir::Opcode::Array:
      plain(lowering, instruction, id, Opcode::Array);
      return;
    case hir::Opcode::Index:
      plain(lowering, instruction, id, Opcode::Index);
      return;
    case hir::Opcode::Pattern:
    case hir::Opcode::Update:
      formula(lowering, instruction);
      return;
    case hir::Opcode::Choose:
      set_result(lowering, instruction,
                 proven(lowering, place(lowering, instruction.place),
                        quotient_of(lowering, lowering.function->result_of(instruction))));
      return;
    case hir::Opcode::Peek:
      peek(lowering, instruction);
      return;
    case hir::Opcode::Poke:
      poke(lowering, instruction);
      return;
    case hir::Opcode::Opaque:
      unsupported(lowering, node_at(lowering, instruction.node),
                  "this use of a reference that may refer to one of several variables");
      return;
    case hir::Opcode::Load:
      load(lowering, instruction);
      return;
    case hir::Opcode::Store:
      store(lowering, instruction);
      return;
    case hir::Opcode::Borrow:
      set_result(lowering, instruction, place(lowering, instruction.place));
      return;
    case hir::Opcode::Written:
      // What the place is now, if the text says so.
      lowering.places[instruction.place.index] =
          proven(lowering, place(lowering, instruction.place),
                 quotient_of(lowering, lowering.function->result_of(instruction)));
      return;
    case hir::Opcode::Call:
    case hir::Opcode::EncodeCall:
      kernel(lowering, instruction, id);
      return;
    case hir::Opcode::EncodeBegin:
      plain(lowering, instruction, id, Opcode::EncodeBegin);
      return;
    case hir::Opcode::EncodeCopy:
      encode_copy(lowering, instruction);
      return;
    case hir::Opcode::Submit:
      plain(lowering, instruction, id, Opcode::Submit);
      return;
    case hir::Opcode::Await:
      plain(lowering, instruction, id, Opcode::Await);
      return;
    case hir::Opcode::Hole:
      fail(lowering, FailReason::Hole, {}, instruction.node);
      // What is behind is never run, but funclets that it is handed to are checked.
      for (uint32_t i = 0; i < instruction.results.size(); ++i) {
        lowering.values[instruction.results.begin + i] =
            emit(lowering, {}, {}, {result_value(lowering, instruction, i)});
      }
      return;
  }
}

}  // namespace tacet::cps
