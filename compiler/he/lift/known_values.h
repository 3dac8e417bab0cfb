#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/he/lift/terms.h"

namespace tacet::lift {

/// Evaluates known terms at positions. Remembers the last value of each term with the position of
/// its free dimensions, so that a term that others share, or that does not depend on the dimension
/// that moves, is evaluated once. The terms must outlive it.
class KnownValues {
 public:
  explicit KnownValues(const Terms& terms) : terms_(terms) {}

  /// Moves along a dimension. Every free dimension of what is evaluated needs a position.
  void move(DimId dim, int64_t position) { at_[dim] = position; }

  /// The value of a known term at the current position; of a fraction, its stored integer. O(size
  /// of the term as a graph), times the extents of its reductions.
  auto value(TermId id) -> int64_t;

 private:
  struct Last {
    std::vector<int64_t> at;  ///< of the free dimensions
    int64_t value = 0;
  };

  auto evaluate(const Term& term) -> int64_t;
  [[nodiscard]] auto indices_of(const Term& term) const -> std::vector<int64_t>;

  const Terms& terms_;
  std::unordered_map<DimId, int64_t> at_;
  std::unordered_map<TermId, Last> last_;
};

}  // namespace tacet::lift
