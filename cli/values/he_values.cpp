#include "cli/values/he_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/he_runtime/bundle_values.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeField;

namespace {

auto shape_of(const std::vector<int64_t>& extents) -> std::vector<uint64_t> {
  return {extents.begin(), extents.end()};
}

auto type_of(const HeField& field) -> Result<interpret::ElementType> {
  interpret::ElementType type;
  if (!interpret::find_element_type(field.type, type) ||
      !(interpret::is_integer(type.kind) || type.kind == interpret::ElementKind::Fxp ||
        type.kind == interpret::ElementKind::Bool)) {
    return Error{fmt::format("`{}` has elements of type `{}`; expected integers, `fxp` or booleans",
                             field.name, field.type)};
  }
  return type;
}

/// Of all numbers that a type has, or fewer; nothing if those are all.
auto bound_of_values(const HeField& field) -> std::optional<types::ValueBound> {
  if (field.high == INT64_MAX && !field.norm) {
    return std::nullopt;
  }
  return types::ValueBound{.lower = field.low,
                           .upper = types::Wide{field.high} + 1,
                           .fraction_bits = static_cast<uint8_t>(engine::fraction_bits_of(field)),
                           .norm = field.norm};
}

}  // namespace

auto parameters_of(const HeBundle& bundle, std::optional<engine::HeOwner> owner)
    -> Result<std::vector<interpret::EntryParameter>> {
  const std::vector<engine::HeArray>& arrays = bundle.parts.front().program.arrays;
  std::vector<interpret::EntryParameter> parameters;
  for (const HeField& field : bundle.inputs) {
    const auto array = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const auto& a) { return a.name == field.name; });
    if (array == arrays.end()) {
      return Error{fmt::format("the compiled program has no array `{}`", field.name)};
    }
    if (owner && array->owner != *owner) {
      continue;
    }
    Result<interpret::ElementType> type = type_of(field);
    if (!type) {
      return type.error();
    }
    parameters.push_back({.name = field.name,
                          .type = *type,
                          .shape = shape_of(array->extents),
                          .bound = bound_of_values(field),
                          .is_secret = true});
  }
  return parameters;
}

auto results_of(const HeBundle& bundle) -> Result<std::vector<interpret::EntryResult>> {
  std::vector<engine::HeOutput> outputs;
  for (const engine::HeBundlePart& part : bundle.parts) {
    outputs.insert(outputs.end(), part.program.outputs.begin(), part.program.outputs.end());
  }
  std::vector<interpret::EntryResult> results;
  for (const HeField& field : bundle.results) {
    const auto output = std::find_if(outputs.begin(), outputs.end(),
                                     [&](const auto& o) { return o.name == field.name; });
    if (output == outputs.end()) {
      return Error{fmt::format("the compiled program has no output `{}`", field.name)};
    }
    Result<interpret::ElementType> type = type_of(field);
    if (!type) {
      return type.error();
    }
    results.push_back({.name = field.name, .type = *type, .shape = shape_of(output->extents)});
  }
  return results;
}

auto integers_of(const interpret::Value& value) -> Result<std::vector<int64_t>> {
  std::vector<int64_t> numbers;
  numbers.reserve(value.cells.size());
  const bool is_signed = interpret::is_signed_integer(value.type.kind) ||
                         value.type.kind == interpret::ElementKind::Fxp;
  for (const interpret::Cell cell : value.cells) {
    if (!is_signed && cell > static_cast<uint64_t>(INT64_MAX)) {
      return Error{
          fmt::format("{} is too large; encrypted numbers are signed 64-bit integers", cell)};
    }
    numbers.push_back(static_cast<int64_t>(cell));
  }
  return numbers;
}

auto integers_of(const std::vector<interpret::EntryParameter>& parameters,
                 const std::vector<interpret::Value>& values) -> Result<engine::HeIntegers> {
  engine::HeIntegers result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Result<std::vector<int64_t>> numbers = integers_of(values[i]);
    if (!numbers) {
      return Error{fmt::format("parameter `{}`: {}", parameters[i].name, numbers.error().message)};
    }
    result[parameters[i].name] = std::move(*numbers);
  }
  return result;
}

auto values_of(const std::vector<interpret::EntryResult>& results,
               const engine::HeIntegers& numbers) -> std::vector<interpret::Value> {
  std::vector<interpret::Value> values;
  for (const interpret::EntryResult& result : results) {
    interpret::Value value{.type = result.type, .shape = result.shape, .cells = {}};
    for (const int64_t number : numbers.find(result.name)->second) {
      value.cells.push_back(
          result.type.kind == interpret::ElementKind::Bool
              ? interpret::Cell{number != 0}
              : interpret::wrapped(result.type.kind, static_cast<uint64_t>(number)));
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace tacet::cli
