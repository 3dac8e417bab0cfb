#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "base/cancellation.h"
#include "base/executor.h"
#include "compiler/device/array/program.h"
#include "compiler/he/lower/ring_costs.h"
#include "compiler/he/schedule/search.h"

namespace tacet::he_lower {

struct LayoutOptions {
  std::vector<Ring> rings;
  /// Layouts that take longer are not looked for.
  double most_time = std::numeric_limits<double>::infinity();
  Executor* executor = nullptr;  ///< none: the calling thread
  CancellationToken cancellation = cancellation_of_thread();
  /// The schedule to obey instead of searching for one, for rows of so many columns.
  std::function<Result<schedule::Schedule>(const array::Program&, uint32_t n_columns)> pinned;
  /// Called periodically with the number of schedules made into circuits, and the best time.
  std::function<void(size_t, double)> progress;
};

/// One of several programs, laid out for a ring.
struct Layout {
  size_t program = 0;             ///< its index
  schedule::SearchResult search;  ///< `best` is the layout
  circuit::Weights weights;       ///< of the ring, with a price on depth
};

/// Searches for the best layout of programs that compute the same. What is found for one bounds the
/// search for those after it, which then gives up sooner, so programs of fewer statements come
/// first. A pinned schedule is taken for the programs that it fits.
///
/// An error is that of the first program: no ring fits, or the schedule cannot be obeyed, or the
/// search was cancelled.
auto choose_layout(const std::vector<array::Program>& programs, const LayoutOptions& options)
    -> Result<Layout>;

}  // namespace tacet::he_lower
