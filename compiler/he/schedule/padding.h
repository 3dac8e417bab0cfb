#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/he/schedule/frame.h"

/// What stands where dimensions are padded.
namespace tacet::schedule {

/// By dimension, the number that stands where it is padded, if it is known.
using Padding = std::vector<std::optional<int64_t>>;

/// Of an element-wise operation, for the dimensions that either operand depends on.
auto padding_of_operation(array::Operator op, const Padding& left, const Padding& right) -> Padding;

/// Of a reduction over `count` values, whose padding is neutral, for the other dimensions.
auto padding_of_many(array::Operator op, const Padding& body, int64_t count) -> Padding;

/// The number that does not count in a reduction.
constexpr auto neutral(array::Operator op) -> int64_t {
  return op == array::Operator::Add ? 0 : 1;
}

/// What inputs should have in their padding, by expression, so that the fewest reductions need a
/// mask; `known` gives what other sites have, and nothing for those whose padding may be chosen.
/// Tries all choices for few sites, and all alike for many.
auto choose_fill(const Frame& frame,
                 const std::function<std::optional<Padding>(array::ExprId)>& known)
    -> std::vector<int64_t>;

}  // namespace tacet::schedule
