#include "engine/program/he/program.h"

namespace tacet::engine {

auto he_mnemonic(HeOpcode opcode) -> std::string_view {
  switch (opcode) {
#define TACET_HE_OPCODE(Name, mnemonic, n_operands, extra) \
  case HeOpcode::Name:                                     \
    return mnemonic;
#include "engine/program/he/opcodes.def"
  }
  return "";
}

auto he_n_operands(HeOpcode opcode) -> size_t {
  switch (opcode) {
#define TACET_HE_OPCODE(Name, mnemonic, n_operands, extra) \
  case HeOpcode::Name:                                     \
    return n_operands;
#include "engine/program/he/opcodes.def"
  }
  return 0;
}

auto he_kind_name(HeKind kind) -> std::string_view {
  switch (kind) {
    case HeKind::Cipher:
      return "cipher";
    case HeKind::Plain:
      return "plain";
    case HeKind::Native:
      return "native";
  }
  return "";
}

auto he_operation_kind_name(HeOperationKind kind) -> std::string_view {
  switch (kind) {
    case HeOperationKind::Cipher:
      return "cipher";
    case HeOperationKind::CipherPlain:
      return "cipher-plain";
    case HeOperationKind::Plain:
      return "plain";
    case HeOperationKind::Native:
      return "native";
  }
  return "";
}

auto operation_kind(const HeProgram& program, const HeStatement& instruction) -> HeOperationKind {
  bool has_cipher = false;
  bool has_plain = false;
  for (const HeAccess& operand : instruction.operands) {
    has_cipher |= program.registers[operand.reg].kind == HeKind::Cipher;
    has_plain |= program.registers[operand.reg].kind == HeKind::Plain;
  }
  if (has_cipher) {
    return has_plain ? HeOperationKind::CipherPlain : HeOperationKind::Cipher;
  }
  return has_plain ? HeOperationKind::Plain : HeOperationKind::Native;
}

auto n_elements(const std::vector<int64_t>& extents) -> size_t {
  size_t n = 1;
  for (const int64_t extent : extents) {
    n *= static_cast<size_t>(extent);
  }
  return n;
}

auto n_elements(const std::vector<HeDimension>& dimensions) -> size_t {
  size_t n = 1;
  for (const HeDimension& dimension : dimensions) {
    n *= static_cast<size_t>(dimension.extent);
  }
  return n;
}

auto evaluate(const HeAffine& affine, const std::vector<int64_t>& variables) -> int64_t {
  int64_t sum = affine.constant;
  for (const HeTerm& term : affine.terms) {
    sum += term.factor * variables[term.variable];
  }
  return sum;
}

auto flat_index(const HeProgram& program, const HeAccess& access,
                const std::vector<int64_t>& variables) -> std::optional<size_t> {
  const std::vector<HeDimension>& dimensions = program.registers[access.reg].dimensions;
  size_t at = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t index = evaluate(access.indices[d], variables);
    if (index < 0 || index >= dimensions[d].extent) {
      return std::nullopt;
    }
    at = at * static_cast<size_t>(dimensions[d].extent) + static_cast<size_t>(index);
  }
  return at;
}

auto output_target(const HeOutput& output, const std::vector<int64_t>& variables)
    -> std::optional<size_t> {
  size_t at = 0;
  for (size_t d = 0; d < output.extents.size(); ++d) {
    const int64_t index = evaluate(output.target[d], variables);
    if (index < 0 || index >= output.extents[d]) {
      return std::nullopt;
    }
    at = at * static_cast<size_t>(output.extents[d]) + static_cast<size_t>(index);
  }
  return at;
}

auto rotation_steps(const HeProgram& program, const HeStatement& rotation,
                    const std::vector<int64_t>& variables) -> uint32_t {
  int64_t steps = evaluate(rotation.steps, variables);
  if (rotation.table != kNoTable) {
    steps = program.tables[rotation.table].values[static_cast<size_t>(steps)];
  }
  const int64_t n = program.n_columns;
  return static_cast<uint32_t>(((steps % n) + n) % n);
}

}  // namespace tacet::engine
