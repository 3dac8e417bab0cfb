#pragma once

#include <optional>
#include <vector>

#include "compiler/device/array/intervals.h"
#include "compiler/device/array/single_source.h"

/// Private to this folder: what of a statement is expanded, and what is a table of something else.
namespace tacet::he_lower {

struct ExpansionPlan {
  array::KnownNumbers numbers;  ///< functions that are numbers whatever is read
  std::vector<bool> is_needed;  ///< by expression, to compute the root
  /// By expression: it is computed as a function of this one, whose values are few, and not of its
  /// own operands.
  std::vector<std::optional<array::ExprId>> source;
};

/// An expression that has comparisons, quotients and the like in it but depends on one number of a
/// narrow interval is one polynomial in that number, however much there is in between; of several
/// such numbers the first one computed is taken, which leaves the fewest levels of products. Such a
/// polynomial is not looked into any further, so what only it needs is not expanded.
///
/// O(size * length of the chain of sources) for each expression that is needed.
auto plan_expansion(const array::Statement& statement, const std::vector<array::Interval>& ranges)
    -> ExpansionPlan;

}  // namespace tacet::he_lower
