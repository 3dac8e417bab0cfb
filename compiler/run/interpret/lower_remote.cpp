#include <algorithm>

#include "compiler/run/interpret/lower_debug.h"
#include "compiler/run/interpret/lowering.h"

/// Devices, evaluated where the coordinator runs: a copy is a copy, an encoded call a call, what
/// an encoder holds are variables of the function, and nothing waits for anything.
namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

static void encode_copy(FunctionLowering& lowering, syntax::Node node,
                        std::span<const syntax::Node> destinations);
static void encode_call(FunctionLowering& lowering, syntax::Node node,
                        std::span<const syntax::Node> destinations);

auto field_of(const FunctionLowering& lowering, uint32_t remote, Name name)
    -> const Remote::FieldValue* {
  const std::vector<Remote::FieldValue>& fields = lowering.remotes[remote].fields;
  auto found = std::find_if(fields.rbegin(), fields.rend(),
                            [&](const Remote::FieldValue& field) { return field.name == name; });
  return found == fields.rend() ? nullptr : &*found;
}

/// The record of what `node`, an encoder, a future or what was awaited, holds; `kNone` if its value
/// is in cells like any other.
auto remote_of(FunctionLowering& lowering, Node node) -> uint32_t {
  node = bare(node);
  if (node.is(NodeKind::Identifier)) {
    names::Resolution meaning = lowering.text.body->names.of(node.index());
    return meaning.is(names::Meaning::Local) ? lowering.locals[meaning.index()].remote : kNone;
  }
  if (node.is(NodeKind::SubmitExpression) || node.is(NodeKind::AwaitExpression)) {
    Node operand = bare(node.child(Field::Operand));
    uint32_t remote = remote_of(lowering, operand);
    return remote != kNone
               ? remote
               : gather_remote(lowering, type_of(lowering, operand), value(lowering, operand));
  }
  if (node.is(NodeKind::EncodeBeginExpression)) {
    lowering.remotes.emplace_back();
    return static_cast<uint32_t>(lowering.remotes.size() - 1);
  }
  return kNone;
}

/// Writes the fields that a record type has, in its order.
void spread_remote(FunctionLowering& lowering, uint32_t remote, TypeId type, Slot target) {
  for (const types::RecordField& field : record_fields(types(lowering), type)) {
    if (const Remote::FieldValue* found = field_of(lowering, remote, field.name)) {
      convert(lowering, found->type, found->slot, field.type, target);
    }
    target.index += static_cast<uint32_t>(cells(lowering, field.type));
  }
}

auto gather_remote(FunctionLowering& lowering, TypeId type, Slot source) -> uint32_t {
  Remote remote;
  for (const types::RecordField& field : record_fields(types(lowering), type)) {
    remote.fields.push_back({field.name, source, field.type});
    source.index += static_cast<uint32_t>(cells(lowering, field.type));
  }
  lowering.remotes.push_back(std::move(remote));
  return static_cast<uint32_t>(lowering.remotes.size() - 1);
}

/// Where the field that `local` is on an encoder stands. A field that was encoded before, maybe in
/// another arm of an `if`, stays where it is.
static auto encoded_slot(FunctionLowering& lowering, uint32_t encoder, uint32_t local, TypeId held)
    -> Slot {
  Name name = lowering.text.body->names.locals[local].name;
  const Remote::FieldValue* before = field_of(lowering, encoder, name);
  Slot slot = before != nullptr && before->type == held
                  ? before->slot
                  : lowering.builder.allocate(cells(lowering, held));
  if (before == nullptr || before->type != held) {
    lowering.remotes[encoder].fields.push_back({name, slot, held});
  }
  lowering.locals[local].slot = slot;
  return slot;
}

void encode(FunctionLowering& lowering, Node node) {
  std::vector<Node> destinations;
  for (Node child : node.children()) {
    if (child.is(NodeKind::EncodeDestination)) {
      destinations.push_back(child.child(Field::Name));
    }
  }
  if (node.child(Field::Method).text() == "copy") {
    encode_copy(lowering, node, destinations);
  } else {
    encode_call(lowering, node, destinations);
  }
}

static void encode_copy(FunctionLowering& lowering, Node node, std::span<const Node> destinations) {
  uint32_t encoder = remote_of(lowering, node.child(Field::Encoder));
  names::Resolution destination = destinations.empty()
                                      ? names::Resolution()
                                      : lowering.text.body->names.of(destinations[0].index());
  if (encoder == kNone || !destination.is(names::Meaning::Local)) {
    unsupported(lowering, node, "this use of an encoder");
    return;
  }
  Node source = bare(node.child(Field::Value));
  TypeId held = type_of(lowering, source);
  bool is_reference = types(lowering)[held].kind == TypeKind::Reference;
  held = is_reference ? types(lowering)[held].element : held;
  Slot slot = encoded_slot(lowering, encoder, destination.index(), held);
  Scope scope(lowering.builder);
  if (is_reference) {
    Slot reference = value(lowering, source);
    lowering.builder.set_place(lowering.text.place(node));
    lowering.builder.emit(
        Opcode::Load, {slot.index, reference.index, static_cast<uint32_t>(cells(lowering, held))});
  } else {
    into(lowering, source, slot);
  }
  show_encoded(lowering, destination.index(), slot, held);
}

static void encode_call(FunctionLowering& lowering, Node node, std::span<const Node> destinations) {
  uint32_t encoder = remote_of(lowering, node.child(Field::Encoder));
  Node call = bare(node.child(Field::Value));
  std::optional<Callee> callee =
      call.is(NodeKind::CallExpression) ? callee_of(lowering, call) : std::nullopt;
  if (encoder == kNone || !callee) {
    unsupported(lowering, node, "this use of an encoder");
    return;
  }
  std::vector<TypeId> results =
      parts(types(lowering), types::result_type(types(lowering), *callee->signature));
  std::vector<Slot> slots;
  for (size_t i = 0; i < destinations.size() && i < results.size(); ++i) {
    names::Resolution destination = lowering.text.body->names.of(destinations[i].index());
    slots.push_back(destination.is(names::Meaning::Local)
                        ? encoded_slot(lowering, encoder, destination.index(), results[i])
                        : lowering.builder.allocate(cells(lowering, results[i])));
  }
  // What a declared encoder brings has no statement that would say where it is.
  for (Node argument : call.child(Field::Arguments).children()) {
    const names::Resolution local = lowering.text.body->names.of(bare(argument).index());
    const Remote::FieldValue* held =
        local.is(names::Meaning::Local)
            ? field_of(lowering, encoder, lowering.text.body->names.locals[local.index()].name)
            : nullptr;
    if (held != nullptr) {
      lowering.locals[local.index()].slot = held->slot;
    }
  }
  Scope scope(lowering.builder);
  pass_arguments(lowering, call, *callee, Frame::Waits);
  lowering.builder.set_place(lowering.text.place(call));
  emit_call(lowering, *callee);
  uint32_t at = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    auto n = static_cast<uint32_t>(cells(lowering, results[i]));
    lowering.builder.emit_move(slots[i], lowering.builder.outgoing(at, n), n);
    at += n;
    const names::Resolution destination = lowering.text.body->names.of(destinations[i].index());
    if (destination.is(names::Meaning::Local)) {
      show_encoded(lowering, destination.index(), slots[i], results[i]);
    }
  }
}

}  // namespace tacet::interpret
