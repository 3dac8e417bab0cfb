#include "engine/cggi_runtime/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cggi_format/text.h"
#include "engine/he/digest.h"

namespace tacet::engine {

namespace {

__extension__ using Wide = __int128;

auto number_of(const CggiField& field, Cell cell) -> Wide {
  const bool is_signed = is_signed_integer(field.type.kind) || field.type.kind == ElementKind::Fxp;
  return is_signed ? Wide{static_cast<int64_t>(cell)} : Wide{cell};
}

auto check_values(const CggiField& field, const std::vector<Cell>& cells) -> Status {
  if (cells.size() != n_elements(field)) {
    return Error{fmt::format("input `{}` has {} elements instead of {}", field.name, cells.size(),
                             n_elements(field))};
  }
  if (!field.bound) {
    return std::monostate{};
  }
  for (const Cell cell : cells) {
    const Wide number = number_of(field, cell);
    if (number < field.bound->low || number > field.bound->high) {
      return Error{fmt::format("input `{}`: a number is outside {} … {}", field.name,
                               field.bound->low, field.bound->high)};
    }
  }
  return std::monostate{};
}

}  // namespace

auto input_bits(const CggiProgram& program, std::optional<CggiOwner> owner,
                const CggiValues& values) -> Result<SecureVector<uint8_t>> {
  SecureVector<uint8_t> bits;
  for (const CggiField& field : program.inputs) {
    if (owner && field.owner != *owner) {
      continue;
    }
    const auto found = values.find(field.name);
    if (found == values.end()) {
      return Error{fmt::format("missing input `{}`", field.name)};
    }
    if (Status status = check_values(field, found->second); !status) {
      return status.error();
    }
    for (const Cell cell : found->second) {
      for (unsigned k = 0; k < field.width; ++k) {
        bits.push_back(static_cast<uint8_t>(cell >> k & 1U));
      }
    }
  }
  return bits;
}

auto check_hiding(const CggiProgram& program) -> Status {
  if (program.is_unhidden || !has_server_inputs(program)) {
    return std::monostate{};
  }
  return Error{
      "under CGGI results can reveal the server's inputs, which cannot be hidden yet; `--unhidden` "
      "accepts that, BFV and BGV hide them"};
}

auto digest_of(const CggiProgram& program) -> std::array<std::byte, 32> {
  he::Digester digester;
  digester.add("tacet cggi program 1");
  digester.add(to_text(program));
  return digester.finish();
}

auto results_of_bits(const CggiProgram& program, std::span<const uint8_t> bits) -> CggiValues {
  CggiValues values;
  size_t at = 0;
  for (const CggiField& field : program.results) {
    std::vector<Cell>& cells = values[field.name];
    for (size_t i = 0; i < n_elements(field); ++i) {
      Cell cell = 0;
      for (unsigned k = 0; k < field.width; ++k) {
        cell |= Cell{bits[at++]} << k;
      }
      cells.push_back(is_integer(field.type.kind) ? wrapped(field.type.kind, cell) : cell);
    }
  }
  return values;
}

}  // namespace tacet::engine
