#include <algorithm>

#include "compiler/run/interpret/lowering.h"

/// Devices, evaluated where the coordinator runs: a copy is a copy, an encoded call a call, what
/// an encoder holds are variables of the function, and nothing waits for anything.
namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

auto FunctionLowering::field_of(uint32_t remote, Name name) const -> const Remote::FieldValue* {
  const std::vector<Remote::FieldValue>& fields = remotes_[remote].fields;
  auto found = std::find_if(fields.rbegin(), fields.rend(),
                            [&](const Remote::FieldValue& field) { return field.name == name; });
  return found == fields.rend() ? nullptr : &*found;
}

/// The record of what `node`, an encoder, a future or what was awaited, holds; `kNone` if its
/// value stands in cells like any other.
auto FunctionLowering::remote_of(Node node) -> uint32_t {
  node = bare(node);
  if (node.is(NodeKind::Identifier)) {
    names::Resolution meaning = text_.body->names.of(node.index());
    return meaning.is(names::Meaning::Local) ? locals_[meaning.index()].remote : kNone;
  }
  if (node.is(NodeKind::SubmitExpression) || node.is(NodeKind::AwaitExpression)) {
    Node operand = bare(node.child(Field::Operand));
    uint32_t remote = remote_of(operand);
    return remote != kNone ? remote : gather_remote(type(operand), value(operand));
  }
  if (node.is(NodeKind::EncodeBeginExpression)) {
    remotes_.emplace_back();
    return static_cast<uint32_t>(remotes_.size() - 1);
  }
  return kNone;
}

/// Writes the fields that a record type has, in its order.
void FunctionLowering::spread_remote(uint32_t remote, TypeId type, Slot target) {
  for (const types::RecordField& field : record_fields(types(), type)) {
    if (const Remote::FieldValue* found = field_of(remote, field.name)) {
      convert(found->type, found->slot, field.type, target);
    }
    target.index += static_cast<uint32_t>(cells(field.type));
  }
}

auto FunctionLowering::gather_remote(TypeId type, Slot source) -> uint32_t {
  Remote remote;
  for (const types::RecordField& field : record_fields(types(), type)) {
    remote.fields.push_back({field.name, source, field.type});
    source.index += static_cast<uint32_t>(cells(field.type));
  }
  remotes_.push_back(std::move(remote));
  return static_cast<uint32_t>(remotes_.size() - 1);
}

/// Where the field that `local` is on an encoder stands. A field that was encoded before, maybe in
/// another arm of an `if`, stays where it is.
auto FunctionLowering::encoded_slot(uint32_t encoder, uint32_t local, TypeId held) -> Slot {
  Name name = text_.body->names.locals[local].name;
  const Remote::FieldValue* before = field_of(encoder, name);
  Slot slot =
      before != nullptr && before->type == held ? before->slot : builder_.allocate(cells(held));
  if (before == nullptr || before->type != held) {
    remotes_[encoder].fields.push_back({name, slot, held});
  }
  locals_[local].slot = slot;
  return slot;
}

void FunctionLowering::encode(Node node) {
  std::vector<Node> destinations;
  for (Node child : node.children()) {
    if (child.is(NodeKind::EncodeDestination)) {
      destinations.push_back(child.child(Field::Name));
    }
  }
  if (node.child(Field::Method).text() == "copy") {
    encode_copy(node, destinations);
  } else {
    encode_call(node, destinations);
  }
}

void FunctionLowering::encode_copy(Node node, std::span<const Node> destinations) {
  uint32_t encoder = remote_of(node.child(Field::Encoder));
  names::Resolution destination =
      destinations.empty() ? names::Resolution() : text_.body->names.of(destinations[0].index());
  if (encoder == kNone || !destination.is(names::Meaning::Local)) {
    unsupported(node, "this use of an encoder");
    return;
  }
  Node source = bare(node.child(Field::Value));
  TypeId held = type(source);
  bool is_reference = types()[held].kind == TypeKind::Reference;
  held = is_reference ? types()[held].element : held;
  Slot slot = encoded_slot(encoder, destination.index(), held);
  Scope scope(builder_);
  if (is_reference) {
    Slot reference = value(source);
    builder_.set_place(text_.place(node));
    builder_.emit(Opcode::Load, {slot.index, reference.index, static_cast<uint32_t>(cells(held))});
  } else {
    into(source, slot);
  }
}

void FunctionLowering::encode_call(Node node, std::span<const Node> destinations) {
  uint32_t encoder = remote_of(node.child(Field::Encoder));
  Node call = bare(node.child(Field::Value));
  std::optional<Callee> callee = call.is(NodeKind::CallExpression) ? callee_of(call) : std::nullopt;
  if (encoder == kNone || !callee) {
    unsupported(node, "this use of an encoder");
    return;
  }
  std::vector<TypeId> results = parts(types(), types::result_type(types(), *callee->signature));
  std::vector<Slot> slots;
  for (size_t i = 0; i < destinations.size() && i < results.size(); ++i) {
    names::Resolution destination = text_.body->names.of(destinations[i].index());
    slots.push_back(destination.is(names::Meaning::Local)
                        ? encoded_slot(encoder, destination.index(), results[i])
                        : builder_.allocate(cells(results[i])));
  }
  // What a declared encoder brings has no statement that would say where it is.
  for (Node argument : call.child(Field::Arguments).children()) {
    const names::Resolution local = text_.body->names.of(bare(argument).index());
    const Remote::FieldValue* held =
        local.is(names::Meaning::Local)
            ? field_of(encoder, text_.body->names.locals[local.index()].name)
            : nullptr;
    if (held != nullptr) {
      locals_[local.index()].slot = held->slot;
    }
  }
  Scope scope(builder_);
  pass_arguments(call, *callee, Frame::Waits);
  builder_.set_place(text_.place(call));
  emit_call(*callee);
  uint32_t at = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    auto n = static_cast<uint32_t>(cells(results[i]));
    builder_.emit_move(slots[i], builder_.outgoing(at, n), n);
    at += n;
  }
}

}  // namespace tacet::interpret
