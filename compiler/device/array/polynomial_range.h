#pragma once

#include <optional>
#include <vector>

#include "base/store.h"
#include "compiler/device/array/program.h"

/// Private to this folder.
namespace tacet::array {

/// The interval of an expression, seen as a polynomial in a few operands: its least and greatest
/// value where each operand is at an end of its interval. That is its interval if it is linear in
/// every operand that has more than two values. Nothing if it is not, or is too large to look at.
/// `ranges` are those of the expressions in front of it.
auto polynomial_range(const Statement& statement, ExprId expr, const std::vector<Interval>& ranges)
    -> std::optional<Interval>;

}  // namespace tacet::array
