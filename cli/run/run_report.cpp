#include "cli/run/run_report.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/run/run_statistics.h"

namespace tacet::cli {

using interpret::EntryResult;
using interpret::Value;

auto results_for_people(const std::vector<EntryResult>& results, const std::vector<Value>& values,
                        const RunStatistics* statistics) -> std::string {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{} = {}\n", results[i].name, interpret::value_text(values[i]));
  }
  return statistics == nullptr ? text : text + statistics_table(*statistics);
}

static auto is_finite(const Value& value, interpret::Cell cell) -> bool {
  if (value.type.kind == interpret::ElementKind::F32) {
    return std::isfinite(interpret::f32_of_cell(cell));
  }
  return value.type.kind != interpret::ElementKind::F64 ||
         std::isfinite(interpret::f64_of_cell(cell));
}

static void append_json(const Value& value, size_t dimension, size_t& at, std::string& text) {
  if (dimension == value.shape.size()) {
    interpret::Cell cell = value.cells[at++];
    std::string element = interpret::element_text(value.type, cell);
    text += is_finite(value, cell) ? element : fmt::format("\"{}\"", element);
    return;
  }
  text += '[';
  for (uint64_t i = 0; i < value.shape[dimension]; ++i) {
    text += i == 0 ? "" : ",";
    append_json(value, dimension + 1, at, text);
  }
  text += ']';
}

auto results_as_json(const std::vector<EntryResult>& results, const std::vector<Value>& values,
                     const RunStatistics* statistics) -> std::string {
  std::string text = R"({"results":[)";
  for (size_t i = 0; i < values.size(); ++i) {
    // Names and types are words of Tacet: nothing in them needs escaping.
    text += fmt::format(R"({}{{"name":"{}","type":"{}","value":)", i == 0 ? "" : ",",
                        results[i].name, interpret::type_text(results[i].type, results[i].shape));
    size_t at = 0;
    append_json(values[i], 0, at, text);
    text += '}';
  }
  text += ']';
  if (statistics != nullptr) {
    text += R"(,"stats":)" + statistics_as_json(*statistics);
  }
  return text + "}\n";
}

}  // namespace tacet::cli
