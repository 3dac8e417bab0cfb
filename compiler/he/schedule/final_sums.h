#pragma once

#include <vector>

#include "compiler/he/schedule/value.h"

/// Sums over slots that the output's statement need not do, as the client adds up slots when it has
/// decrypted them (`array::leaves_sums`).
namespace tacet::schedule {

/// By expression: whether all that it is for is to be added to others, and multiplied by what has
/// no sums, on the way to the result, so that what is pending of it may stay so. O(expressions).
auto only_added(const array::Statement& statement) -> std::vector<bool>;

/// An element-wise operation of operands that are only added, if anything is pending of them, as is
/// the result. Sums that are pending of one wait where the other has none: as a factor it is a
/// factor of each summand; what is known in plaintext is added in the first slot alone of those
/// that will be added.
auto operate_before_sums(const Frame& frame, array::Operator op, Value left, Value right,
                         CircuitWriter& writer) -> Value;

/// Whether the result of a statement can be read as the sum of what is pending: of each axis once,
/// and digits of none of them distinguish elements. It is not so of some that are 0 whatever is
/// read.
auto can_be_left(const Value& root) -> bool;

}  // namespace tacet::schedule
