#pragma once

#include "engine/program/he/program.h"

/// Affine expressions as source, the same in C++, Go and JavaScript.
namespace tacet::backends {

/// A variable: what it is called, and the numbers that it has, `low` to below `high`.
struct Variable {
  std::string name;
  int64_t low = 0;
  int64_t high = 1;
};

/// The variables of an expression, by their numbers.
using Scope = std::vector<Variable>;

/// The smallest and the largest number of an expression, both included.
struct ExpressionRange {
  int64_t low = 0;
  int64_t high = 0;
};
auto range_of(const engine::HeAffine& value, const Scope& scope) -> ExpressionRange;

/// `4*p + d - 1`.
auto affine_text(const engine::HeAffine& value, const Scope& scope) -> std::string;

/// The same, or its remainder.
auto index_text(const engine::HeIndex& index, const Scope& scope) -> std::string;
auto range_of(const engine::HeIndex& index, const Scope& scope) -> ExpressionRange;

/// A digit as a variable: its expression in parentheses, and the numbers that it has.
auto variable_of(const engine::HeDigit& digit, const Scope& scope) -> Variable;

/// The place of an element among all of an array, row-major: one affine expression where no index
/// is a remainder.
auto place_text(const std::vector<engine::HeIndex>& indices, const std::vector<int64_t>& extents,
                const Scope& scope) -> std::string;
auto place_text(const std::vector<engine::HeAffine>& indices, const std::vector<int64_t>& extents,
                const Scope& scope) -> std::string;

/// What must hold for the expression to be in [low, high); empty if it always is.
auto condition_text(const engine::HeIndex& index, int64_t low, int64_t high, const Scope& scope)
    -> std::string;

/// The extents of dimensions.
auto extents_of(const std::vector<engine::HeDimension>& dimensions) -> std::vector<int64_t>;

}  // namespace tacet::backends
