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

auto Builder::new_fields(TypeId type, Name owner, uint32_t node) -> Meaning {
  Meaning meaning;
  meaning.kind = Meaning::Kind::Fields;
  for (const Port& port : expand(types_, type, 0)) {
    Place place;
    place.kind = port.field.has_value() ? PlaceKind::Field : PlaceKind::Merged;
    place.name = port.field.has_value() ? port.field : owner;
    place.owner = port.field.has_value() ? owner : Name();
    place.type = port.type;
    place.node = node;
    const PlaceId id = writer_.new_place(place);
    if (port.field.has_value()) {
      meaning.fields.push_back({port.field, id});
    } else {
      meaning.place = id;
    }
  }
  return meaning;
}

auto Builder::find_field(const Meaning& meaning, Name name) const -> PlaceId {
  for (const FieldPlace& field : meaning.fields) {
    if (field.name == name) {
      return field.place;
    }
  }
  return {};
}

void Builder::copy_fields(const Meaning& from, const Meaning& to, uint32_t node) {
  if (to.place.has_value() && from.place.has_value()) {
    writer_.store(to.place, writer_.load(from.place, node), node);
  }
  for (const FieldPlace& field : to.fields) {
    if (const PlaceId source = find_field(from, field.name); source.has_value()) {
      writer_.store(field.place, writer_.load(source, node), node);
    }
  }
}

auto Builder::handle(const Meaning& meaning, uint32_t node) -> ValueId {
  return writer_.load(meaning.place, node);
}

auto Builder::encode_begin(Node node) -> Meaning {
  Instruction instruction = make(Opcode::EncodeBegin, node);
  names::find_device(node.child(Field::Device).text(), instruction.device);
  Meaning meaning = new_fields(type(node), {}, node.index());
  const ValueId value = writer_.value(instruction, {}, type(node));
  tag(TagSubject::Instruction, writer_.function().values[value].definition.index,
      node.child(Field::Tags));
  if (!meaning.place.has_value()) {
    return of_value(value);
  }
  writer_.store(meaning.place, value, node.index());
  return meaning;
}

auto Builder::submit(Node node) -> Meaning {
  Meaning encoder = expression(node.child(Field::Operand));
  const ValueId submitted = value_of(encoder, node.child(Field::Operand));
  const ValueId future =
      writer_.value(make(Opcode::Submit, node), std::span(&submitted, 1), type(node));
  tag(TagSubject::Instruction, writer_.function().values[future].definition.index,
      node.child(Field::Tags));
  if (encoder.kind != Meaning::Kind::Fields) {
    return of_value(future);
  }
  encoder.place = writer_.new_place({.kind = PlaceKind::Merged,
                                     .name = {},
                                     .owner = {},
                                     .type = type(node),
                                     .node = node.index()});
  writer_.store(encoder.place, future, node.index());
  return encoder;
}

auto Builder::await(Node node) -> Meaning {
  Meaning future = expression(node.child(Field::Operand));
  const ValueId awaited = value_of(future, node.child(Field::Operand));
  const InstructionId instruction =
      writer_.add(make(Opcode::Await, node), std::span(&awaited, 1), {});
  tag(TagSubject::Instruction, instruction.index, node.child(Field::Tags));
  if (future.kind != Meaning::Kind::Fields) {
    return opaque(node);
  }
  future.place = {};
  return future;
}

void Builder::encode(Node node) {
  Node encoder_name = node.child(Field::Encoder);
  const names::Resolution resolution = body_.names.of(encoder_name.index());
  if (!resolution.is(names::Meaning::Local) ||
      locals_[resolution.index()].kind != Meaning::Kind::Fields) {
    opaque(node);
    return;
  }
  const Meaning encoder = locals_[resolution.index()];
  if (node.child(Field::Method).text() == "copy") {
    encode_copy(node, encoder);
  } else {
    encode_call(node, encoder);
  }
}

void Builder::encode_copy(Node node, const Meaning& encoder) {
  Node destination = node.child(NodeKind::EncodeDestination);
  Node name = destination.child(Field::Name);
  const PlaceId place = find_field(encoder, interner_.intern(name.text()));
  Meaning source = expression(node.child(Field::Value));
  if (!place.has_value()) {
    opaque(node);
    return;
  }
  if (source.kind == Meaning::Kind::Alias) {
    source = of_value(writer_.load(source.place, node.child(Field::Value).index()));
  }
  Instruction instruction = make(Opcode::EncodeCopy, node);
  instruction.is_public = node.child(Field::Visibility).text() == "public";
  const ValueId copied = value_of(source, node.child(Field::Value));
  const ValueId value =
      writer_.value(instruction, std::array{handle(encoder, node.index()), copied},
                    writer_.function().places[place].type);
  writer_.function().values[value].name = writer_.function().places[place].name;
  tag(TagSubject::Value, value.index, destination.child(Field::Tags));
  tag(TagSubject::Instruction, writer_.function().values[value].definition.index,
      node.child(Field::Tags));
  writer_.store(place, value, destination.index());
}

void Builder::encode_call(Node node, const Meaning& encoder) {
  Node call = bare(node.child(Field::Value));
  std::shared_ptr<const types::Signature> signature = signature_of(callee(call));
  if (!signature) {
    opaque(node);
    return;
  }
  Instruction instruction = make(Opcode::EncodeCall, node);
  instruction.item = callee(call);
  std::vector<ValueId> operands = {handle(encoder, node.index())};
  pass_dims(call, operands);
  instruction.n_dims = static_cast<uint32_t>(operands.size() - 1);
  for (Node argument : call.child(Field::Arguments).children()) {
    if (!syntax::is_named(argument.kind())) {
      continue;
    }
    const PlaceId place = find_field(encoder, interner_.intern(bare(argument).text()));
    operands.push_back(place.has_value() ? writer_.load(place, argument.index())
                                         : opaque(argument).value);
    if (argument.is(NodeKind::TaggedExpression)) {
      tag(TagSubject::Value, operands.back().index, argument.child(Field::Tags));
    }
  }
  const InstructionId id = writer_.add(instruction, operands, result_types(*signature));
  tag(TagSubject::Instruction, id.index, node.child(Field::Tags));
  if (node.child(Field::Value).is(NodeKind::TaggedExpression)) {
    tag(TagSubject::Instruction, id.index, node.child(Field::Value).child(Field::Tags));
  }
  Function& function = writer_.function();
  uint32_t next = function.instructions[id].results.begin;
  const uint32_t end = function.instructions[id].results.end;
  for (Node child : children_of(node, NodeKind::EncodeDestination)) {
    if (next == end) {
      break;
    }
    const ValueId value{next++};
    const PlaceId place = find_field(encoder, interner_.intern(child.child(Field::Name).text()));
    function.values[value].node = child.index();
    tag(TagSubject::Value, value.index, child.child(Field::Tags));
    if (place.has_value()) {
      function.values[value].name = function.places[place].name;
      writer_.store(place, value, child.index());
    }
  }
}

}  // namespace tacet::hir
