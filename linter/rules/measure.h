#pragma once

#include <optional>
#include <vector>

#include "linter/rules/device.h"

/// What several rules measure.
namespace tacet::linter {

/// The elements that the blocks of a statement give a value where somebody outside may see it.
auto elements_written(const kernel::Kernel& kernel, const kernel::Statement& statement) -> int64_t;

/// The number that an expression always is, or nothing.
auto constant(const Subject& subject, kernel::ExprId expr) -> std::optional<int64_t>;

/// Can this operation itself fail, its operands aside? A division by what may be 0, a shift by what
/// may be out of range.
auto may_fail(const Subject& subject, const kernel::Expr& expr) -> bool;

/// How many iterations the bounds of a loop allow at most.
struct IterationBound {
  int64_t most = 0;
  bool is_exact = false;  ///< there are values that the parameters may have which need that many
};

/// Nothing where only types bound it, or the step is not a positive constant.
auto most_iterations(const Subject& subject, const kernel::For& loop)
    -> std::optional<IterationBound>;

/// A `for` that is padded to a known number of iterations, with bounds that say how many it needs.
struct PaddedLoop {
  int64_t max = 0;
  IterationBound iterations;
  FileRange place;  ///< of `max`'s number
};

/// Those that are ever reached, the outer ones first.
auto padded_loops(const Subject& subject) -> std::vector<PaddedLoop>;

/// The fix that pads a loop to as many iterations as its bounds allow.
auto pad_to_bounds(const PaddedLoop& loop, Applicability applicability) -> Fix;

}  // namespace tacet::linter
