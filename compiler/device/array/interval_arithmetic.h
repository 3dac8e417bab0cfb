#pragma once

#include "compiler/device/array/program.h"

/// Arithmetic of intervals whose ends stand for everything beyond where
/// they are the least or greatest number: they never come back from there.
namespace tacet::array {

/// Of operands that have nothing to do with one another.
auto combined(Operator op, Interval left, Interval right) -> Interval;
auto squared(Interval value) -> Interval;
/// Of a function other than `Select`.
auto computed(FunctionKind kind, Width width, Interval left, Interval right) -> Interval;
/// Of n operands.
auto repeated(Operator op, Interval value, int64_t n) -> Interval;

/// The least interval with both.
auto joined(Interval a, Interval b) -> Interval;
/// What is in both, which is something.
auto shared_part(Interval a, Interval b) -> Interval;

constexpr auto is_bounded(Interval value) -> bool {
  return value.low != INT64_MIN && value.high != INT64_MAX;
}

}  // namespace tacet::array
