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

/// The six comparisons of whatever C++ type the element has.
template <class T>
static auto compare(BinaryOperation operation, T left, T right) -> ArithmeticResult {
  switch (operation) {
    case BinaryOperation::Less:
      return as_cell(left < right);
    case BinaryOperation::LessEqual:
      return as_cell(left <= right);
    case BinaryOperation::Greater:
      return as_cell(left > right);
    case BinaryOperation::GreaterEqual:
      return as_cell(left >= right);
    case BinaryOperation::Equal:
      return as_cell(left == right);
    case BinaryOperation::NotEqual:
      return as_cell(left != right);
    default:
      TACET_CHECK(false, "not a comparison");
  }
}

template <class T>
static auto evaluate_float(BinaryOperation operation, T left, T right, T& value) -> bool {
  switch (operation) {
    case BinaryOperation::Add:
      value = left + right;
      return true;
    case BinaryOperation::Sub:
      value = left - right;
      return true;
    case BinaryOperation::Mul:
      value = left * right;
      return true;
    case BinaryOperation::Div:
      value = left / right;
      return true;
    case BinaryOperation::Rem:
      value = std::fmod(left, right);
      return true;
    default:
      return false;
  }
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

static auto evaluate_integer(BinaryOperation operation, ElementKind kind, Cell left, Cell right)
    -> ArithmeticResult {
  switch (operation) {
    case BinaryOperation::Add:
      return {wrapped(kind, left + right), ArithmeticFault::None};
    case BinaryOperation::Sub:
      return {wrapped(kind, left - right), ArithmeticFault::None};
    case BinaryOperation::Mul:
      return {wrapped(kind, left * right), ArithmeticFault::None};
    case BinaryOperation::Div:
      return divide(kind, left, right);
    case BinaryOperation::Rem:
      return remainder(is_signed_integer(kind), left, right);
    case BinaryOperation::And:
      return {left & right, ArithmeticFault::None};
    case BinaryOperation::Or:
      return {left | right, ArithmeticFault::None};
    case BinaryOperation::Xor:
      return {left ^ right, ArithmeticFault::None};
    case BinaryOperation::Shl:
    case BinaryOperation::Shr:
    case BinaryOperation::ShrArithmetic:
      // A negative amount is a huge cell.
      if (right >= bit_width(kind)) {
        return fails(ArithmeticFault::ShiftOutOfRange);
      }
      if (operation == BinaryOperation::Shl) {
        return {wrapped(kind, left << right), ArithmeticFault::None};
      }
      return {
          shift_right(kind, operation == BinaryOperation::ShrArithmetic || is_signed_integer(kind),
                      left, right),
          ArithmeticFault::None};
    default:
      return is_signed_integer(kind) ? compare(operation, as_signed(left), as_signed(right))
                                     : compare(operation, left, right);
  }
}

static auto evaluate_fixed(BinaryOperation operation, unsigned fraction_bits, Cell left, Cell right)
    -> ArithmeticResult {
  switch (operation) {
    case BinaryOperation::Mul: {
      Wide product = Wide{as_signed(left)} * as_signed(right);
      return {static_cast<Cell>(product >> fraction_bits), ArithmeticFault::None};
    }
    case BinaryOperation::Div: {
      if (right == 0) {
        return fails(ArithmeticFault::DivisionByZero);
      }
      Wide scaled = Wide{as_signed(left)} * (Wide{1} << fraction_bits);
      return {static_cast<Cell>(scaled / as_signed(right)), ArithmeticFault::None};
    }
    default:
      // Sums, remainders and comparisons of equal scales are those of the scaled integers.
      return evaluate_integer(operation, ElementKind::I64, left, right);
  }
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
  switch (type.kind) {
    case ElementKind::Fxp:
      return evaluate_fixed(operation, type.fraction_bits, left, right);
    case ElementKind::F32: {
      float value = 0;
      if (evaluate_float(operation, f32_of_cell(left), f32_of_cell(right), value)) {
        return {cell_of_f32(value), ArithmeticFault::None};
      }
      return compare(operation, f32_of_cell(left), f32_of_cell(right));
    }
    case ElementKind::F64: {
      double value = 0;
      if (evaluate_float(operation, f64_of_cell(left), f64_of_cell(right), value)) {
        return {cell_of_f64(value), ArithmeticFault::None};
      }
      return compare(operation, f64_of_cell(left), f64_of_cell(right));
    }
    default:
      return evaluate_integer(operation, type.kind, left, right);
  }
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
  switch (to.kind) {
    case ElementKind::Bool:
      return value != 0 ? 1 : 0;
    case ElementKind::F32:
      return cell_of_f32(static_cast<float>(value));
    case ElementKind::F64:
      return cell_of_f64(value);
    case ElementKind::Fxp:
      return saturated(ElementKind::I64, std::nearbyint(std::ldexp(value, to.fraction_bits)));
    default:
      return saturated(to.kind, std::trunc(value));
  }
}

static auto cast_fixed(int64_t value, unsigned fraction_bits, ElementType to) -> Cell {
  switch (to.kind) {
    case ElementKind::Bool:
      return value != 0 ? 1 : 0;
    case ElementKind::F32: {
      // A double would round a second time; the division by a power of two is exact.
      return cell_of_f32(std::ldexp(static_cast<float>(value), -static_cast<int>(fraction_bits)));
    }
    case ElementKind::F64:
      return cell_of_f64(std::ldexp(static_cast<double>(value), -static_cast<int>(fraction_bits)));
    case ElementKind::Fxp:
      return to.fraction_bits >= fraction_bits
                 ? static_cast<Cell>(value) << (to.fraction_bits - fraction_bits)
                 : static_cast<Cell>(value >> (fraction_bits - to.fraction_bits));
    default:
      return wrapped(to.kind, static_cast<Cell>(value / (int64_t{1} << fraction_bits)));
  }
}

static auto cast_integer(bool is_signed, Cell value, ElementType to) -> Cell {
  switch (to.kind) {
    case ElementKind::Bool:
      return value != 0 ? 1 : 0;
    case ElementKind::F32:
      return cell_of_f32(is_signed ? static_cast<float>(as_signed(value))
                                   : static_cast<float>(value));
    case ElementKind::F64:
      return cell_of_f64(is_signed ? static_cast<double>(as_signed(value))
                                   : static_cast<double>(value));
    case ElementKind::Fxp:
      return value << to.fraction_bits;
    default:
      return wrapped(to.kind, value);
  }
}

auto cast(ElementType from, ElementType to, Cell value) -> Cell {
  switch (from.kind) {
    case ElementKind::F32:
      return cast_float(static_cast<double>(f32_of_cell(value)), to);
    case ElementKind::F64:
      return cast_float(f64_of_cell(value), to);
    case ElementKind::Fxp:
      return cast_fixed(as_signed(value), from.fraction_bits, to);
    default:
      return cast_integer(is_signed_integer(from.kind), value, to);
  }
}

auto one(ElementType type) -> Cell {
  return cast(kI64, type, 1);
}

}  // namespace tacet::engine
