#pragma once

#include "engine/program/common/arithmetic.h"

/// The words of the program format for numbers, in this folder's namespace: the reference device
/// computes with the same cells as every other.
namespace tacet::interpret {

using engine::ArithmeticFault;
using engine::ArithmeticResult;
using engine::BinaryOperation;
using engine::bit_width;
using engine::cast;
using engine::Cell;
using engine::cell_of_f32;
using engine::cell_of_f64;
using engine::element_type_name;
using engine::ElementKind;
using engine::ElementType;
using engine::evaluate;
using engine::f32_of_cell;
using engine::f64_of_cell;
using engine::find_element_type;
using engine::is_float;
using engine::is_fractional;
using engine::is_integer;
using engine::is_signed_integer;
using engine::kBool;
using engine::kDefaultFractionBits;
using engine::kI64;
using engine::kMaxFractionBits;
using engine::max_integer;
using engine::min_integer;
using engine::one;
using engine::UnaryOperation;
using engine::wrapped;

}  // namespace tacet::interpret
