#pragma once

#include <vector>

#include "compiler/he/schedule/schedule.h"
#include "compiler/he/schedule/scope.h"

/// The steps by which the search goes from schedule to schedule.
namespace tacet::schedule {

enum class AxisOrder : uint8_t { Matters, OnlyOutermost };

/// A statement in the search.
struct Subject {
  const array::Program& program;
  size_t index = 0;
  std::vector<DimSet> together;
  int64_t most_columns = 0;
  AxisOrder order = AxisOrder::Matters;
  DimSet fixed = 0;  ///< dimensions that stay exploded and whole
  /// By dimension: those that are laid out like it, itself included, where all are split alike
  /// (`dims_alike`); none if this is empty.
  std::vector<DimSet> alike{};
};

/// By dimension, those of the same extent that no expression depends on together, itself included:
/// the elements of an array in several sums. Fixed ones are alone.
auto dims_alike(const array::Statement& statement, const std::vector<DimSet>& together,
                DimSet fixed) -> std::vector<DimSet>;

/// All dimensions exploded, `n_splits` of them, but for fixed ones, split in two in all possible
/// places; sizes of inner tiles are divisors of the extent, powers of two, and half of it rounded
/// up. Dimensions that are alike are also split together, which counts once.
auto start_schedules(const Subject& subject, uint32_t n_splits) -> std::vector<StatementSchedule>;

/// The schedules one step away, canonical: exploded tiles are sorted, and axes as far as their
/// order does not matter. They are valid but for rolls, which are to be checked. Dimensions that
/// are alike and split alike take each step together.
auto neighbours(const Subject& subject, const StatementSchedule& schedule)
    -> std::vector<StatementSchedule>;

/// A total order.
auto compare(const StatementSchedule& a, const StatementSchedule& b) -> int;
auto hash_of(const StatementSchedule& schedule) -> uint64_t;

}  // namespace tacet::schedule
