#pragma once

#include "compiler/device/array/program.h"

/// Arithmetic modulo 2^64 that says where it wrapped.

namespace tacet::array {

/// The number modulo 2^64, and whether that is not the number itself.
struct Wrapped {
  int64_t number = 0;
  bool has_wrapped = false;
};

inline auto apply(Operator op, int64_t left, int64_t right) -> Wrapped {
  Wrapped result;
  switch (op) {
    case Operator::Add:
      result.has_wrapped = __builtin_add_overflow(left, right, &result.number);
      break;
    case Operator::Subtract:
      result.has_wrapped = __builtin_sub_overflow(left, right, &result.number);
      break;
    case Operator::Multiply:
      result.has_wrapped = __builtin_mul_overflow(left, right, &result.number);
      break;
  }
  return result;
}

/// Of a function other than `Select`, whose condition must be checked separately. With a width the
/// operands are right modulo 2^64, and so is the result: it never counts as wrapped.
auto apply(FunctionKind kind, Width width, int64_t left, int64_t right) -> Wrapped;

}  // namespace tacet::array
