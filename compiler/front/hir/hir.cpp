#include "compiler/front/hir/hir.h"

namespace tacet::hir {

using types::Type;
using types::TypeKind;

auto opcode_text(Opcode opcode) -> std::string_view {
  switch (opcode) {
#define TACET_HIR_OPCODE(Name, text, documentation) \
  case Opcode::Name:                                \
    return text;
#include "compiler/front/hir/opcodes.def"
  }
  return "";
}

auto successors(const Terminator& terminator) -> std::span<const BlockId> {
  switch (terminator.kind) {
    case TerminatorKind::Jump:
      return {terminator.targets.data(), 1};
    case TerminatorKind::Branch:
      return {terminator.targets.data(), 2};
    case TerminatorKind::None:
    case TerminatorKind::Return:
      return {};
  }
  return {};
}

auto expand(const types::TypeStore& types, types::TypeId type, uint32_t ordinal)
    -> std::vector<Port> {
  std::vector<Port> ports;
  const Type& data = types[type];
  types::TypeId record = type;
  if (data.kind != TypeKind::Record) {
    ports.push_back({.ordinal = ordinal, .field = {}, .type = type});
    if (data.kind != TypeKind::Encoder && data.kind != TypeKind::Future) {
      return ports;
    }
    record = data.element;
  }
  if (record.has_value() && types[record].kind == TypeKind::Record) {
    for (const types::RecordField& field : types.fields(types[record].fields)) {
      ports.push_back({.ordinal = ordinal, .field = field.name, .type = field.type});
    }
  }
  return ports;
}

auto is_value(const types::TypeStore& types, types::TypeId type) -> bool {
  switch (types[type].kind) {
    case TypeKind::Value:
    case TypeKind::Slice:
    case TypeKind::Reference:
    case TypeKind::Array:
      return true;
    case TypeKind::Error:
    case TypeKind::Record:
    case TypeKind::Tuple:
    case TypeKind::Encoder:
    case TypeKind::Future:
    case TypeKind::Event:
    case TypeKind::BufferSpace:
    case TypeKind::RngState:
      return false;
  }
  return false;
}

}  // namespace tacet::hir
