#include "compiler/he/circuit/names.h"

#include <fmt/format.h>

#include "engine/program/he/text.h"

namespace tacet::circuit {

static auto spelled(std::string_view wish) -> std::string {
  std::string name;
  for (const char c : wish) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if (is_digit && name.empty()) {
      name += '_';
    }
    name += is_letter || is_digit ? c : '_';
  }
  if (!engine::is_he_name(name)) {
    name += '_';
  }
  return name;
}

auto Names::distinct(std::string_view wish) -> std::string {
  const std::string base = spelled(wish);
  std::string name = base;
  for (int i = 2; !used_.insert(name).second; ++i) {
    name = fmt::format("{}_{}", base, i);
  }
  return name;
}

auto names_of(const Circuit& circuit) -> CircuitNames {
  CircuitNames result;
  for (const engine::HeArray& array : circuit.arrays) {
    result.names.distinct(array.name);
  }
  // Outputs keep their names too, which are those of results.
  for (const Output& output : circuit.outputs) {
    result.outputs.push_back(result.names.distinct(output.name));
  }
  for (const Family& family : circuit.families.values()) {
    result.families.push_back(result.names.distinct(family.name));
  }
  for (const Loop& loop : circuit.loops.values()) {
    result.loops.push_back(result.names.distinct(loop.name));
  }
  result.names.distinct("loop");  // begins another line of the text
  for (const Statement& statement : circuit.statements) {
    result.statements.push_back(result.names.distinct(statement.name));
  }
  return result;
}

}  // namespace tacet::circuit
