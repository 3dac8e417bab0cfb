#include "interface/values.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/run/run_statistics.h"
#include "cli/values/value_as_json.h"
#include "interface/errors.h"

namespace tacet::interface {

/// Bytes of an element in memory.
static auto element_size(interpret::ElementKind kind) -> size_t {
  return kind == interpret::ElementKind::Bool ? 1 : engine::bit_width(kind) / 8;
}

/// The cells of a value as elements of C: the low bytes of each, as this is a little-endian
/// machine.
static auto packed(const interpret::Value& value) -> std::vector<std::byte> {
  const size_t size = element_size(value.type.kind);
  std::vector<std::byte> bytes(size * value.cells.size());
  for (size_t i = 0; i < value.cells.size(); ++i) {
    std::memcpy(bytes.data() + i * size, &value.cells[i], size);
  }
  return bytes;
}

auto values_for_caller(std::vector<interpret::EntryResult> results,
                       std::vector<interpret::Value> values, cli::RunStatistics statistics)
    -> tacet_values* {
  auto given = std::make_unique<tacet_values>();
  for (const interpret::Value& value : values) {
    given->elements.push_back(packed(value));
  }
  given->results = std::move(results);
  given->values = std::move(values);
  given->statistics = std::move(statistics);
  return given.release();
}

static auto json_of(const tacet_values& values) -> std::string {
  std::string text = "{";
  for (size_t i = 0; i < values.values.size(); ++i) {
    text += fmt::format("{}\"{}\": {}", i == 0 ? "" : ", ", values.results[i].name,
                        cli::value_as_json(values.values[i]));
  }
  return text + "}";
}

/// What was not counted is left out.
static auto costs_json(const tacet_values& values) -> std::string {
  auto costs = nlohmann::ordered_json::parse(cli::statistics_as_json(values.statistics));
  const cli::RunStatistics& statistics = values.statistics;
  const bool has_bytes = (statistics.he && statistics.he->bytes_sent != 0) ||
                         (statistics.cggi && statistics.cggi->bytes_sent != 0) || statistics.mpc;
  if (!has_bytes) {
    for (const char* name : {"bytes_sent", "input_bytes", "rotation_key_bytes", "key_bytes"}) {
      costs.erase(name);
    }
  }
  return costs.dump();
}

}  // namespace tacet::interface

using namespace tacet::interface;

size_t tacet_values_count(const tacet_values* values) {
  return values->values.size();
}

const char* tacet_values_name(const tacet_values* values, size_t number) {
  return number < values->results.size() ? values->results[number].name.c_str() : nullptr;
}

int tacet_values_get(const tacet_values* values, size_t number, tacet_array* array) {
  if (number >= values->values.size()) {
    return 0;
  }
  const tacet::interpret::Value& value = values->values[number];
  const tacet_array found{.struct_size = sizeof(tacet_array),
                          .data = values->elements[number].data(),
                          .element = static_cast<uint32_t>(value.type.kind),
                          .fraction_bits = value.type.fraction_bits,
                          .n_dimensions = static_cast<uint32_t>(value.shape.size()),
                          .shape = value.shape.data(),
                          .strides = nullptr};
  return copy_known(found, array) ? 1 : 0;
}

const char* tacet_values_json(const tacet_values* values) {
  std::call_once(values->json_made, [&] { values->json = json_of(*values); });
  return values->json.c_str();
}

const char* tacet_values_costs(const tacet_values* values) {
  std::call_once(values->costs_made, [&] { values->costs = costs_json(*values); });
  return values->costs.c_str();
}
