#pragma once

#include <vector>

#include "compiler/he/schedule/value.h"

/// Sums over slots that the output's statement need not do, as the client adds up slots when it has
/// decrypted them (`array::leaves_sums`).
namespace tacet::schedule {

/// By expression: whether all that it is for is to be added to others, and multiplied by what is
/// known in plaintext, on the way to the result, so that what is pending of it may stay so.
/// `is_cipher` says which expressions are not known. O(expressions).
auto only_added(const array::Statement& statement, const std::vector<bool>& is_cipher)
    -> std::vector<bool>;

/// An element-wise operation whose result is only added. Sums that are pending of one operand wait
/// where the other is known in plaintext and has none: it is a factor of each summand, or is added
/// in the first slot alone of those that will be added.
auto operate_before_sums(const Frame& frame, array::Operator op, Value left, Value right,
                         CircuitWriter& writer) -> Value;

/// Whether the result of a statement can be read as the sum of what is pending: of each axis once,
/// and digits of none of them distinguish elements. It is not so of some that are 0 whatever is
/// read.
auto can_be_left(const Value& root) -> bool;

}  // namespace tacet::schedule
