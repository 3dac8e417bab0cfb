#include "cli/values/cggi_values.h"

namespace tacet::cli {

auto parameters_of(const engine::CggiProgram& program, std::optional<engine::CggiOwner> owner)
    -> std::vector<interpret::EntryParameter> {
  std::vector<interpret::EntryParameter> parameters;
  for (const engine::CggiField& field : program.inputs) {
    if (owner && field.owner != *owner) {
      continue;
    }
    interpret::EntryParameter& parameter = parameters.emplace_back();
    parameter.name = field.name;
    parameter.type = field.type;
    parameter.shape = field.extents;
    if (field.bound) {
      parameter.bound = types::ValueBound{.lower = field.bound->low,
                                          .upper = field.bound->high + 1,
                                          .fraction_bits = field.type.fraction_bits};
    }
    parameter.is_secret = true;
  }
  return parameters;
}

auto results_of(const engine::CggiProgram& program) -> std::vector<interpret::EntryResult> {
  std::vector<interpret::EntryResult> results;
  for (const engine::CggiField& field : program.results) {
    results.push_back({.name = field.name, .type = field.type, .shape = field.extents});
  }
  return results;
}

auto cells_of(const std::vector<interpret::EntryParameter>& parameters,
              const std::vector<interpret::Value>& values) -> engine::CggiValues {
  engine::CggiValues cells;
  for (size_t i = 0; i < parameters.size(); ++i) {
    cells[parameters[i].name] = values[i].cells;
  }
  return cells;
}

auto values_of(const engine::CggiProgram& program, const engine::CggiValues& results)
    -> std::vector<interpret::Value> {
  std::vector<interpret::Value> values;
  for (const engine::CggiField& field : program.results) {
    values.push_back(
        {.type = field.type, .shape = field.extents, .cells = results.find(field.name)->second});
  }
  return values;
}

}  // namespace tacet::cli
