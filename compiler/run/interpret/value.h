#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/interpret/element_type.h"
#include "engine/program/common/element_text.h"

namespace tacet::interpret {

using engine::element_text;
using engine::literal_cell;
using engine::parse_fixed;

/// A scalar or an array: its elements in row-major order, the outermost dimension first.
struct Value {
  ElementType type;
  std::vector<uint64_t> shape;  ///< empty for a scalar
  std::vector<Cell> cells;      ///< as many as the product of the shape

  friend auto operator==(const Value&, const Value&) -> bool = default;
};

/// The number of elements of a shape. The caller knows that it does not overflow.
auto n_elements(const std::vector<uint64_t>& shape) -> uint64_t;

/// `i32`, `[fxp; 2, 16]`.
auto type_text(ElementType type, const std::vector<uint64_t>& shape) -> std::string;

/// The whole value, arrays in brackets: `[[1, 2], [3, 4]]`.
auto value_text(const Value& value) -> std::string;

}  // namespace tacet::interpret
