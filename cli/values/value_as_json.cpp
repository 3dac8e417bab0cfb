#include "cli/values/value_as_json.h"

#include <fmt/format.h>

#include <cmath>

namespace tacet::cli {

using interpret::Value;

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

auto value_as_json(const Value& value) -> std::string {
  std::string text;
  size_t at = 0;
  append_json(value, 0, at, text);
  return text;
}

}  // namespace tacet::cli
