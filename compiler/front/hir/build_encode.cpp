#include "compiler/core/syntax/walk.h"
#include "compiler/front/hir/builder.h"

/// Encoders, futures and records: a handle and a place per field. A future has the places of the
/// encoder that was submitted, and a record those of the future that was awaited: nobody writes
/// there any more.
namespace tacet::hir {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

static void encode_copy(Builder& builder, Node node, const Denotation& encoder);
static void encode_call(Builder& builder, Node node, const Denotation& encoder);

auto new_fields(Builder& builder, TypeId type, Name owner, uint32_t node) -> Denotation {
  Denotation meaning;
  meaning.kind = Denotation::Kind::Fields;
  for (const Port& port : expand(builder.types, type, 0)) {
    Place place;
    place.kind = port.field.has_value() ? PlaceKind::Field : PlaceKind::Merged;
    place.name = port.field.has_value() ? port.field : owner;
    place.owner = port.field.has_value() ? owner : Name();
    place.type = port.type;
    place.node = node;
    const PlaceId id = builder.writer.new_place(place);
    if (port.field.has_value()) {
      meaning.fields.push_back({port.field, id});
    } else {
      meaning.place = id;
    }
  }
  return meaning;
}

auto find_field(const Denotation& meaning, Name name) -> PlaceId {
  for (const FieldPlace& field : meaning.fields) {
    if (field.name == name) {
      return field.place;
    }
  }
  return {};
}

void copy_fields(Builder& builder, const Denotation& from, const Denotation& to, uint32_t node) {
  if (to.place.has_value() && from.place.has_value()) {
    builder.writer.store(to.place, builder.writer.load(from.place, node), node);
  }
  for (const FieldPlace& field : to.fields) {
    if (const PlaceId source = find_field(from, field.name); source.has_value()) {
      builder.writer.store(field.place, builder.writer.load(source, node), node);
    }
  }
}

auto handle(Builder& builder, const Denotation& meaning, uint32_t node) -> ValueId {
  return builder.writer.load(meaning.place, node);
}

auto encode_begin(Builder& builder, Node node) -> Denotation {
  Instruction instruction = make(Opcode::EncodeBegin, node);
  names::find_device(node.child(Field::Device).text(), instruction.device);
  Denotation meaning = new_fields(builder, type(builder, node), {}, node.index());
  const ValueId value = builder.writer.value(instruction, {}, type(builder, node));
  tag(builder, TagSubject::Instruction, builder.writer.function().values[value].definition.index,
      node.child(Field::Tags));
  if (!meaning.place.has_value()) {
    return of_value(value);
  }
  builder.writer.store(meaning.place, value, node.index());
  return meaning;
}

auto submit(Builder& builder, Node node) -> Denotation {
  Denotation encoder = expression(builder, node.child(Field::Operand));
  const ValueId submitted = value_of(builder, encoder, node.child(Field::Operand));
  const ValueId future = builder.writer.value(make(Opcode::Submit, node), std::span(&submitted, 1),
                                              type(builder, node));
  tag(builder, TagSubject::Instruction, builder.writer.function().values[future].definition.index,
      node.child(Field::Tags));
  if (encoder.kind != Denotation::Kind::Fields) {
    return of_value(future);
  }
  encoder.place = builder.writer.new_place({.kind = PlaceKind::Merged,
                                            .name = {},
                                            .owner = {},
                                            .type = type(builder, node),
                                            .node = node.index()});
  builder.writer.store(encoder.place, future, node.index());
  return encoder;
}

auto await(Builder& builder, Node node) -> Denotation {
  Denotation future = expression(builder, node.child(Field::Operand));
  const ValueId awaited = value_of(builder, future, node.child(Field::Operand));
  const InstructionId instruction =
      builder.writer.add(make(Opcode::Await, node), std::span(&awaited, 1), {});
  tag(builder, TagSubject::Instruction, instruction.index, node.child(Field::Tags));
  if (future.kind != Denotation::Kind::Fields) {
    return opaque(builder, node);
  }
  future.place = {};
  return future;
}

void encode(Builder& builder, Node node) {
  Node encoder_name = node.child(Field::Encoder);
  const names::Resolution resolution = builder.body.names.of(encoder_name.index());
  if (!resolution.is(names::Meaning::Local) ||
      builder.locals[resolution.index()].kind != Denotation::Kind::Fields) {
    opaque(builder, node);
    return;
  }
  const Denotation encoder = builder.locals[resolution.index()];
  if (node.child(Field::Method).text() == "copy") {
    encode_copy(builder, node, encoder);
  } else {
    encode_call(builder, node, encoder);
  }
}

static void encode_copy(Builder& builder, Node node, const Denotation& encoder) {
  Node destination = node.child(NodeKind::EncodeDestination);
  Node name = destination.child(Field::Name);
  const PlaceId place = find_field(encoder, builder.interner.intern(name.text()));
  Denotation source = expression(builder, node.child(Field::Value));
  if (!place.has_value()) {
    opaque(builder, node);
    return;
  }
  if (source.kind == Denotation::Kind::Alias) {
    source = of_value(builder.writer.load(source.place, node.child(Field::Value).index()));
  }
  Instruction instruction = make(Opcode::EncodeCopy, node);
  instruction.is_public = node.child(Field::Visibility).text() == "public";
  const ValueId copied = value_of(builder, source, node.child(Field::Value));
  const ValueId value =
      builder.writer.value(instruction, std::array{handle(builder, encoder, node.index()), copied},
                           builder.writer.function().places[place].type);
  builder.writer.function().values[value].name = builder.writer.function().places[place].name;
  tag(builder, TagSubject::Value, value.index, destination.child(Field::Tags));
  tag(builder, TagSubject::Instruction, builder.writer.function().values[value].definition.index,
      node.child(Field::Tags));
  builder.writer.store(place, value, destination.index());
}

static void encode_call(Builder& builder, Node node, const Denotation& encoder) {
  Node call = bare(node.child(Field::Value));
  std::shared_ptr<const types::Signature> signature = signature_of(builder, callee(builder, call));
  if (!signature) {
    opaque(builder, node);
    return;
  }
  Instruction instruction = make(Opcode::EncodeCall, node);
  instruction.item = callee(builder, call);
  std::vector<ValueId> operands = {handle(builder, encoder, node.index())};
  pass_dims(builder, call, operands);
  instruction.n_dims = static_cast<uint32_t>(operands.size() - 1);
  for (Node argument : call.child(Field::Arguments).children()) {
    if (!syntax::is_named(argument.kind())) {
      continue;
    }
    const PlaceId place = find_field(encoder, builder.interner.intern(bare(argument).text()));
    operands.push_back(place.has_value() ? builder.writer.load(place, argument.index())
                                         : opaque(builder, argument).value);
    if (argument.is(NodeKind::TaggedExpression)) {
      tag(builder, TagSubject::Value, operands.back().index, argument.child(Field::Tags));
    }
  }
  const InstructionId id = builder.writer.add(instruction, operands, result_types(*signature));
  tag(builder, TagSubject::Instruction, id.index, node.child(Field::Tags));
  if (node.child(Field::Value).is(NodeKind::TaggedExpression)) {
    tag(builder, TagSubject::Instruction, id.index, node.child(Field::Value).child(Field::Tags));
  }
  Function& function = builder.writer.function();
  uint32_t next = function.instructions[id].results.begin;
  const uint32_t end = function.instructions[id].results.end;
  for (Node child : children_of(node, NodeKind::EncodeDestination)) {
    if (next == end) {
      break;
    }
    const ValueId value{next++};
    const PlaceId place =
        find_field(encoder, builder.interner.intern(child.child(Field::Name).text()));
    function.values[value].node = child.index();
    tag(builder, TagSubject::Value, value.index, child.child(Field::Tags));
    if (place.has_value()) {
      function.values[value].name = function.places[place].name;
      builder.writer.store(place, value, child.index());
    }
  }
}

}  // namespace tacet::hir
