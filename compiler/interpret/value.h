#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/interpret/element_type.h"

namespace tacet::interpret {

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

/// One element as Tacet writes it: `-3`, `true`, `0.5`. A fixed-point number is the shortest
/// decimal that stands for it; a float the shortest that reads back as itself, or `nan`, `inf`.
auto element_text(ElementType type, Cell cell) -> std::string;

/// The whole value, arrays in brackets: `[[1, 2], [3, 4]]`.
auto value_text(const Value& value) -> std::string;

/// The cell of a literal of `type`: digits, a decimal, `true` or `false`.
auto literal_cell(ElementType type, std::string_view text) -> Cell;

/// The fixed-point number nearest to a decimal such as `-12.5` or `3`, exactly; ties go away from
/// zero. False if the text is no such decimal or the number does not fit.
auto parse_fixed(std::string_view decimal, unsigned fraction_bits, Cell& cell) -> bool;

}  // namespace tacet::interpret
