#include "engine/program/common/arithmetic.h"

#include <cmath>
#include <limits>

#include "base/check.h"

namespace tacet::engine {

__extension__ using Wide = __int128;

static auto as_signed(Cell cell) -> int64_t {
  return static_cast<int64_t>(cell);
}

static auto as_cell(bool value) -> ArithmeticResult {
  return {value ? Cell{1} : Cell{0}, ArithmeticFault::None};
}

static auto fails(ArithmeticFault fault) -> ArithmeticResult {
  return {0, fault};
}

static auto result_of(Cell value) -> ArithmeticResult {
  return {value, ArithmeticFault::None};
}

static auto result_of(float value) -> ArithmeticResult {
  return result_of(cell_of_f32(value));
}

static auto result_of(double value) -> ArithmeticResult {
  return result_of(cell_of_f64(value));
}

/// The six comparisons of whatever C++ type the element has.
template <class T>
static auto compare(BinaryOperation operation, T left, T right) -> ArithmeticResult {
  if (operation == BinaryOperation::Less) {
    return as_cell(left < right);
  }
  if (operation == BinaryOperation::LessEqual) {
    return as_cell(left <= right);
  }
  if (operation == BinaryOperation::Greater) {
    return as_cell(left > right);
  }
  if (operation == BinaryOperation::GreaterEqual) {
    return as_cell(left >= right);
  }
  if (operation == BinaryOperation::Equal) {
    return as_cell(left == right);
  }
  TACET_CHECK(operation == BinaryOperation::NotEqual, "not a comparison");
  return as_cell(left != right);
}

template <class T>
static auto evaluate_float(BinaryOperation operation, T left, T right) -> ArithmeticResult {
  if (operation == BinaryOperation::Add) {
    return result_of(left + right);
  }
  if (operation == BinaryOperation::Sub) {
    return result_of(left - right);
  }
  if (operation == BinaryOperation::Mul) {
    return result_of(left * right);
  }
  if (operation == BinaryOperation::Div) {
    return result_of(left / right);
  }
  if (operation == BinaryOperation::Rem) {
    return result_of(std::fmod(left, right));
  }
  return compare(operation, left, right);
}

static auto divide(ElementKind kind, Cell left, Cell right) -> ArithmeticResult {
  if (right == 0) {
    return fails(ArithmeticFault::DivisionByZero);
  }
  if (!is_signed_integer(kind)) {
    return {left / right, ArithmeticFault::None};
  }
  // The one quotient that does not fit wraps, and the machine's own division would trap.
  if (as_signed(right) == -1) {
    return {wrapped(kind, 0 - left), ArithmeticFault::None};
  }
  return {static_cast<Cell>(as_signed(left) / as_signed(right)), ArithmeticFault::None};
}

static auto remainder(bool is_signed, Cell left, Cell right) -> ArithmeticResult {
  if (right == 0) {
    return fails(ArithmeticFault::DivisionByZero);
  }
  if (!is_signed) {
    return {left % right, ArithmeticFault::None};
  }
  if (as_signed(right) == -1) {
    return {0, ArithmeticFault::None};
  }
  return {static_cast<Cell>(as_signed(left) % as_signed(right)), ArithmeticFault::None};
}

static auto shift_right(ElementKind kind, bool repeat_top_bit, Cell left, Cell right) -> Cell {
  if (!repeat_top_bit) {
    return left >> right;
  }
  unsigned unused = 64 - bit_width(kind);
  auto extended = static_cast<int64_t>(left << unused) >> unused;
  return wrapped(kind, static_cast<Cell>(extended >> right));
}

static auto shift(BinaryOperation operation, ElementKind kind, Cell left, Cell right)
    -> ArithmeticResult {
  // A negative amount is a huge cell.
  if (right >= bit_width(kind)) {
    return fails(ArithmeticFault::ShiftOutOfRange);
  }
  if (operation == BinaryOperation::Shl) {
    return result_of(wrapped(kind, left << right));
  }
  const bool repeats_top_bit =
      operation == BinaryOperation::ShrArithmetic || is_signed_integer(kind);
  return result_of(shift_right(kind, repeats_top_bit, left, right));
}

static auto evaluate_integer(BinaryOperation operation, ElementKind kind, Cell left, Cell right)
    -> ArithmeticResult {
  switch (operation) {
    case BinaryOperation::Add:
      return result_of(wrapped(kind, left + right));
    case BinaryOperation::Sub:
      return result_of(wrapped(kind, left - right));
    case BinaryOperation::Mul:
      return result_of(wrapped(kind, left * right));
    case BinaryOperation::Div:
      return divide(kind, left, right);
    case BinaryOperation::Rem:
      return remainder(is_signed_integer(kind), left, right);
    case BinaryOperation::And:
      return result_of(left & right);
    case BinaryOperation::Or:
      return result_of(left | right);
    case BinaryOperation::Xor:
      return result_of(left ^ right);
    case BinaryOperation::Shl:
    case BinaryOperation::Shr:
    case BinaryOperation::ShrArithmetic:
      return shift(operation, kind, left, right);
    case BinaryOperation::Less:
    case BinaryOperation::LessEqual:
    case BinaryOperation::Greater:
    case BinaryOperation::GreaterEqual:
    case BinaryOperation::Equal:
    case BinaryOperation::NotEqual:
      return is_signed_integer(kind) ? compare(operation, as_signed(left), as_signed(right))
                                     : compare(operation, left, right);
    case BinaryOperation::TotalDiv:
    case BinaryOperation::TotalRem:
    case BinaryOperation::TotalShl:
    case BinaryOperation::TotalShr:
    case BinaryOperation::TotalShrArithmetic:
      break;
  }
  TACET_CHECK(false, "a total operation is evaluated by its partial one");
}

static auto evaluate_fixed(BinaryOperation operation, unsigned fraction_bits, Cell left, Cell right)
    -> ArithmeticResult {
  if (operation == BinaryOperation::Mul) {
    Wide product = Wide{as_signed(left)} * as_signed(right);
    return result_of(static_cast<Cell>(product >> fraction_bits));
  }
  if (operation == BinaryOperation::Div) {
    if (right == 0) {
      return fails(ArithmeticFault::DivisionByZero);
    }
    Wide scaled = Wide{as_signed(left)} * (Wide{1} << fraction_bits);
    return result_of(static_cast<Cell>(scaled / as_signed(right)));
  }
  // Sums, remainders and comparisons of equal scales are those of the scaled integers.
  return evaluate_integer(operation, ElementKind::I64, left, right);
}

/// What a total operation gives where the other one has a fault.
static auto instead_of_fault(BinaryOperation operation, ElementType type, Cell left, Cell right)
    -> ArithmeticResult {
  if (operation == BinaryOperation::Div) {
    return {0, ArithmeticFault::None};
  }
  if (operation == BinaryOperation::Rem) {
    return {left, ArithmeticFault::None};
  }
  return evaluate(operation, type, left, right & (bit_width(type.kind) - 1));
}

auto evaluate(BinaryOperation operation, ElementType type, Cell left, Cell right)
    -> ArithmeticResult {
  if (const BinaryOperation with_faults = partial(operation); with_faults != operation) {
    const ArithmeticResult result = evaluate(with_faults, type, left, right);
    return result.fault == ArithmeticFault::None ? result
                                                 : instead_of_fault(with_faults, type, left, right);
  }
  switch (class_of(type.kind)) {
    case ElementClass::Bool:
    case ElementClass::Integer:
      return evaluate_integer(operation, type.kind, left, right);
    case ElementClass::Fxp:
      return evaluate_fixed(operation, type.fraction_bits, left, right);
    case ElementClass::F32:
      return evaluate_float(operation, f32_of_cell(left), f32_of_cell(right));
    case ElementClass::F64:
      return evaluate_float(operation, f64_of_cell(left), f64_of_cell(right));
  }
  TACET_CHECK(false, "unknown kind of elements");
}

auto evaluate(UnaryOperation operation, ElementType type, Cell operand) -> Cell {
  switch (operation) {
    case UnaryOperation::Not:
      return operand == 0 ? 1 : 0;
    case UnaryOperation::Complement:
      return wrapped(type.kind, ~operand);
    case UnaryOperation::Negate:
      if (type.kind == ElementKind::F32) {
        return cell_of_f32(-f32_of_cell(operand));
      }
      if (type.kind == ElementKind::F64) {
        return cell_of_f64(-f64_of_cell(operand));
      }
      return wrapped(type.kind, 0 - operand);
  }
  TACET_CHECK(false, "unknown operation");
}

/// `value` rounded already, as an integer of `kind`, saturated; NaN gives 0.
static auto saturated(ElementKind kind, double value) -> Cell {
  if (std::isnan(value)) {
    return 0;
  }
  // The largest integer may round up to a power of two as a double, hence `>=`.
  if (value >= static_cast<double>(max_integer(kind))) {
    return max_integer(kind);
  }
  if (value <= static_cast<double>(min_integer(kind))) {
    return static_cast<Cell>(min_integer(kind));
  }
  return is_signed_integer(kind) ? static_cast<Cell>(static_cast<int64_t>(value))
                                 : static_cast<Cell>(value);
}

static auto cast_float(double value, ElementType to) -> Cell {
  switch (class_of(to.kind)) {
    case ElementClass::Bool:
      return value != 0 ? 1 : 0;
    case ElementClass::F32:
      return cell_of_f32(static_cast<float>(value));
    case ElementClass::F64:
      return cell_of_f64(value);
    case ElementClass::Fxp:
      return saturated(ElementKind::I64, std::nearbyint(std::ldexp(value, to.fraction_bits)));
    case ElementClass::Integer:
      return saturated(to.kind, std::trunc(value));
  }
  TACET_CHECK(false, "unknown kind of elements");
}

static auto cast_fixed(int64_t value, unsigned fraction_bits, ElementType to) -> Cell {
  switch (class_of(to.kind)) {
    case ElementClass::Bool:
      return value != 0 ? 1 : 0;
    case ElementClass::F32: {
      // A double would round a second time; the division by a power of two is exact.
      return cell_of_f32(std::ldexp(static_cast<float>(value), -static_cast<int>(fraction_bits)));
    }
    case ElementClass::F64:
      return cell_of_f64(std::ldexp(static_cast<double>(value), -static_cast<int>(fraction_bits)));
    case ElementClass::Fxp:
      return to.fraction_bits >= fraction_bits
                 ? static_cast<Cell>(value) << (to.fraction_bits - fraction_bits)
                 : static_cast<Cell>(value >> (fraction_bits - to.fraction_bits));
    case ElementClass::Integer:
      return wrapped(to.kind, static_cast<Cell>(value / (int64_t{1} << fraction_bits)));
  }
  TACET_CHECK(false, "unknown kind of elements");
}

static auto cast_integer(bool is_signed, Cell value, ElementType to) -> Cell {
  switch (class_of(to.kind)) {
    case ElementClass::Bool:
      return value != 0 ? 1 : 0;
    case ElementClass::F32:
      return cell_of_f32(is_signed ? static_cast<float>(as_signed(value))
                                   : static_cast<float>(value));
    case ElementClass::F64:
      return cell_of_f64(is_signed ? static_cast<double>(as_signed(value))
                                   : static_cast<double>(value));
    case ElementClass::Fxp:
      return value << to.fraction_bits;
    case ElementClass::Integer:
      return wrapped(to.kind, value);
  }
  TACET_CHECK(false, "unknown kind of elements");
}

auto cast(ElementType from, ElementType to, Cell value) -> Cell {
  switch (class_of(from.kind)) {
    case ElementClass::F32:
      return cast_float(static_cast<double>(f32_of_cell(value)), to);
    case ElementClass::F64:
      return cast_float(f64_of_cell(value), to);
    case ElementClass::Fxp:
      return cast_fixed(as_signed(value), from.fraction_bits, to);
    case ElementClass::Bool:
    case ElementClass::Integer:
      return cast_integer(is_signed_integer(from.kind), value, to);
  }
  TACET_CHECK(false, "unknown kind of elements");
}

auto one(ElementType type) -> Cell {
  return cast(kI64, type, 1);
}

}  // namespace tacet::engine
