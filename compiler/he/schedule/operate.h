#pragma once

#include "compiler/he/schedule/value.h"

/// What operators make of values: the sums that are pending, and what must stand everywhere first.
namespace tacet::schedule {

/// Rotates and combines: `node` over all digits of an axis.
auto combine_over(const Frame& frame, circuit::NodeKind kind, circuit::NodeId node,
                  const Pending& pending, CircuitWriter& writer) -> circuit::NodeId;

/// Adds what is pending; then nothing is.
void add_pending(const Frame& frame, Value& value, CircuitWriter& writer);

/// An element-wise operation. Sums that are pending of both operands alike stay so where the
/// operation allows it. An operand that is right at the first digit of an axis only, where the
/// other varies, is masked and spread.
auto operate(const Frame& frame, array::Operator op, Value left, Value right, CircuitWriter& writer)
    -> Value;

}  // namespace tacet::schedule
