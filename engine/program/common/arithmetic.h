#pragma once

#include <bit>
#include <cstdint>

#include "engine/program/common/element_type.h"

/// The exact meaning of every operator on one element. A value is held in a 64-bit *cell*:
/// signed integers sign-extended, unsigned ones and `bool` zero-extended, `fxp` as the integer
/// `value * 2^fraction_bits` of a 64-bit ring, floats as their IEEE bits.
///
/// Integers wrap at their width. Division and remainder truncate towards zero; the smallest
/// integer divided by -1 wraps to itself. A product of `fxp` is the exact 128-bit product
/// shifted right by the fraction bits (so it is rounded down), a quotient truncates towards
/// zero. Floats follow IEEE 754, rounding to nearest even.
///
/// Where a secret is the divisor or the distance, or decides whether the operation is reached, a
/// fault would show it. There the operations are *total*: x / 0 is 0, x % 0 is x, and a shift goes
/// by the distance modulo the width.
namespace tacet::engine {

using Cell = uint64_t;

enum class BinaryOperation : uint8_t {
#define TACET_BINARY(Name, mnemonic) Name,
#include "engine/program/common/binary_operations.def"
};

/// Of division, remainder and shifts the operation without faults; any other is total itself.
constexpr auto total(BinaryOperation operation) -> BinaryOperation {
  if (operation == BinaryOperation::Div) {
    return BinaryOperation::TotalDiv;
  }
  if (operation == BinaryOperation::Rem) {
    return BinaryOperation::TotalRem;
  }
  if (operation == BinaryOperation::Shl) {
    return BinaryOperation::TotalShl;
  }
  if (operation == BinaryOperation::Shr) {
    return BinaryOperation::TotalShr;
  }
  if (operation == BinaryOperation::ShrArithmetic) {
    return BinaryOperation::TotalShrArithmetic;
  }
  return operation;
}

/// The operation that `total` makes this one of.
constexpr auto partial(BinaryOperation operation) -> BinaryOperation {
  if (operation == BinaryOperation::TotalDiv) {
    return BinaryOperation::Div;
  }
  if (operation == BinaryOperation::TotalRem) {
    return BinaryOperation::Rem;
  }
  if (operation == BinaryOperation::TotalShl) {
    return BinaryOperation::Shl;
  }
  if (operation == BinaryOperation::TotalShr) {
    return BinaryOperation::Shr;
  }
  if (operation == BinaryOperation::TotalShrArithmetic) {
    return BinaryOperation::ShrArithmetic;
  }
  return operation;
}

enum class UnaryOperation : uint8_t { Negate, Not, Complement };

/// What has no value.
enum class ArithmeticFault : uint8_t { None, DivisionByZero, ShiftOutOfRange };

struct ArithmeticResult {
  Cell value = 0;
  ArithmeticFault fault = ArithmeticFault::None;

  friend auto operator==(const ArithmeticResult&, const ArithmeticResult&) -> bool = default;
};

/// `value` cut to the width of an integer kind (or `Fxp`) and extended to a cell again.
constexpr auto wrapped(ElementKind kind, uint64_t value) -> Cell {
  unsigned shift = 64 - bit_width(kind);
  if (is_signed_integer(kind)) {
    return static_cast<Cell>(static_cast<int64_t>(value << shift) >> shift);
  }
  return value << shift >> shift;
}

/// `left op right`, both of `type`. Comparisons give a `bool`.
auto evaluate(BinaryOperation operation, ElementType type, Cell left, Cell right)
    -> ArithmeticResult;

/// `op operand`, of the operand's type.
auto evaluate(UnaryOperation operation, ElementType type, Cell operand) -> Cell;

/// `value as to`. Between integers the value wraps; from floats it truncates towards zero and
/// saturates, NaN giving 0; from `fxp` to integers it truncates towards zero and wraps; to `fxp`
/// integers wrap, floats round to nearest and saturate; to fewer fraction bits `fxp` rounds
/// down; to `bool` everything but zero is true.
auto cast(ElementType from, ElementType to, Cell value) -> Cell;

inline auto cell_of_f64(double value) -> Cell {
  return std::bit_cast<uint64_t>(value);
}
inline auto cell_of_f32(float value) -> Cell {
  return std::bit_cast<uint32_t>(value);
}
inline auto f64_of_cell(Cell cell) -> double {
  return std::bit_cast<double>(cell);
}
inline auto f32_of_cell(Cell cell) -> float {
  return std::bit_cast<float>(static_cast<uint32_t>(cell));
}

/// The cell of 1 in `type`.
auto one(ElementType type) -> Cell;

}  // namespace tacet::engine
