#include "compiler/run/interpret/value.h"

#include <fmt/format.h>

namespace tacet::interpret {

auto n_elements(const std::vector<uint64_t>& shape) -> uint64_t {
  uint64_t n = 1;
  for (uint64_t extent : shape) {
    n *= extent;
  }
  return n;
}

auto type_text(ElementType type, const std::vector<uint64_t>& shape) -> std::string {
  std::string name = element_type_name(type);
  if (shape.empty()) {
    return name;
  }
  return fmt::format("[{}; {}]", name, fmt::join(shape, ", "));
}

static void append_dimension(const Value& value, size_t dimension, size_t& at, std::string& text) {
  if (dimension == value.shape.size()) {
    text += element_text(value.type, value.cells[at++]);
    return;
  }
  text += '[';
  for (uint64_t i = 0; i < value.shape[dimension]; ++i) {
    text += i == 0 ? "" : ", ";
    append_dimension(value, dimension + 1, at, text);
  }
  text += ']';
}

auto value_text(const Value& value) -> std::string {
  std::string text;
  size_t at = 0;
  append_dimension(value, 0, at, text);
  return text;
}

}  // namespace tacet::interpret
