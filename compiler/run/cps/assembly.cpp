#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

auto opcode_text(Opcode opcode) -> std::string_view {
  switch (opcode) {
#define TACET_CPS_OPCODE(Name, text, documentation) \
  case Opcode::Name:                                \
    return text;
#include "compiler/run/cps/opcodes.def"
  }
  return "";
}

auto node_of(const Spec& spec, Quotient quotient) -> NodeId {
  switch (quotient.kind) {
    case QuotientKind::None:
      return {};
    case QuotientKind::Node:
      return quotient.index < spec.nodes.size() ? NodeId{quotient.index} : NodeId{};
    case QuotientKind::Input:
      return quotient.index < spec.inputs.size() ? spec.inputs[quotient.index] : NodeId{};
    case QuotientKind::Output:
      return quotient.index < spec.outputs.size() ? spec.outputs[quotient.index] : NodeId{};
  }
  return {};
}

auto ProgramTables::name(std::string_view text) -> NameId {
  auto [at, is_new] = names_.try_emplace(std::string(text));
  if (is_new) {
    at->second = program_.names.add(std::string(text));
  }
  return at->second;
}

auto ProgramTables::type(const Type& type) -> TypeId {
  uint64_t hash =
      hash_combine(static_cast<uint64_t>(type.kind),
                   static_cast<uint64_t>(type.element.kind) << 8 | type.element.fraction_bits);
  for (uint64_t extent : type.shape) {
    hash = hash_combine(hash, extent);
  }
  auto [first, last] = types_.equal_range(hash);
  for (; first != last; ++first) {
    if (program_.types[first->second] == type) {
      return first->second;
    }
  }
  const TypeId id = program_.types.add(type);
  types_.emplace(hash, id);
  return id;
}

}  // namespace tacet::cps
