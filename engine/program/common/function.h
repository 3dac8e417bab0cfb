#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/program/common/arithmetic.h"

/// What the functions of the language compute: the same on every device, exactly for integers, and
/// within a stated bound where a device that sees no values computes with `fxp`.
namespace tacet::engine {

enum class Function : uint8_t {
#define TACET_FUNCTION(Name, text, kind) Name,
#include "engine/program/common/functions.def"
};

enum class FunctionKind : uint8_t {
  Fixed,   ///< of one `fxp`, element by element
  Number,  ///< of one number, element by element
  Choice,  ///< of two numbers, element by element; or of an array, along its outermost dimension
  Order,   ///< moves the parts of the outermost dimension
};

auto function_name(Function function) -> std::string_view;
auto find_function(std::string_view name) -> std::optional<Function>;
auto function_kind(Function function) -> FunctionKind;

/// One function on arrays, row by row of memory. `type` is that of `first`. The sizes of the spans
/// say the shapes:
///
/// * `Fixed`, `Number`: as many results as operands.
/// * `Choice` of two operands of one type: an operand of one cell goes with every element. `min`
///   is `b if b < a else a`, `max` is `b if a < b else a`. With `second` empty: the least or
///   greatest of the parts of `first`, cell by cell of a part, which has as many as `result`.
/// * `Sort`: ascending; `SortBy`: the parts of `second` in the ascending order of their keys
///   `first`, equal keys in the order in which they stood; `TopK`: the `result.size()` greatest,
///   the greatest first. `false` is less than `true`; floats have IEEE 754's total order.
///
/// `abs` of the least integer wraps to itself, as its negation does. For the functions of kind
/// `Fixed` see `evaluate_fixed_function`. O(n), for `Order` O(n log n).
void evaluate(Function function, ElementType type, std::span<const Cell> first,
              std::span<const Cell> second, std::span<Cell> result);

/// A function of kind `Fixed` of the number `operand * 2^-fraction_bits`: the real value rounded
/// to the nearest multiple of 2^-fraction_bits. What is too large or too small to be a value is
/// the largest or the smallest one. So are values at poles: `log` of what is not positive is the
/// smallest, `rsqrt` of what is not positive and `reciprocal` of 0 are the largest. `sqrt` of what
/// is negative is 0.
///
/// `sqrt`, `rsqrt` and `reciprocal` are rounded correctly, with halves away from 0. The others are
/// computed with an error below 2^-100 of the result, or of 1 if that is more, and then rounded
/// with halves upwards: a value would have to be that close to a half to be rounded to the other
/// side. Integers alone are used: the result is the same on every machine.
auto evaluate_fixed_function(Function function, uint8_t fraction_bits, int64_t operand) -> int64_t;

}  // namespace tacet::engine
