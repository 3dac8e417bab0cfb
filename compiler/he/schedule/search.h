#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "base/cancellation.h"
#include "base/executor.h"
#include "base/result.h"
#include "compiler/he/schedule/cost.h"
#include "compiler/he/schedule/schedule.h"

namespace tacet::schedule {

/// A schedule and what it costs.
struct Candidate {
  Schedule schedule;  ///< for the columns of the ring that is the cheapest
  Counts counts;
  double time = 0;  ///< by that ring's costs
};

struct SearchOptions {
  /// In epoch e, at most e - 1 dimensions of a statement are split into two tiles; those that are
  /// alike (`dims_alike`) count as one.
  uint32_t n_epochs = 2;
  std::vector<RingCost> rings;
  /// Schedules that take longer are not looked for.
  double most_time = std::numeric_limits<double>::infinity();
  /// How many layouts of a statement's result are kept for those that follow: of the cheapest, and
  /// as many of the plainest.
  size_t n_kept = 12;
  /// Gives up, with what was found, after so many schedules were made into circuits.
  size_t most_evaluations = 400'000;
  Executor* executor = nullptr;  ///< none: the calling thread
  CancellationToken cancellation = cancellation_of_thread();
  /// Called periodically with the number made into circuits, and the best time so far.
  std::function<void(size_t, double)> progress;
};

struct SearchResult {
  Candidate best;
  /// None is as good as another in all counts. By increasing time.
  std::vector<Candidate> pareto;
  size_t n_visited = 0;    ///< schedules of single statements, or of several together
  size_t n_evaluated = 0;  ///< made into circuits; the others' lower bound was above the best time
};

/// Searches for the schedule that takes the least time.
///
/// Like Recto and Myers (section 5): from everything exploded, breadth first, an exploded tile is
/// put on a new axis inside all others, on one that only dimensions use which it never meets, or on
/// the row axis, or is rolled; before that, dimensions may have been split. Equal schedules are met
/// once; where no statement reads another's result, the order of axes inside of the outermost does
/// not matter and is not varied; dimensions that nothing secret depends on stay exploded. A
/// schedule whose lower bound is above the best time is left out with all that comes from it.
/// Statements are laid out in order, each for several layouts of those before it, cheapest first,
/// if they take at most four times as long as the cheapest: that is where the search is no longer
/// exact. If none of these can be read by those that follow, more are kept.
///
/// Ties are resolved by the counts and then the schedules themselves, so the answer depends on
/// nothing else, neither the executor nor the clock. An error if no ring fits, if nothing is below
/// `most_time`, or if the search was cancelled.
auto search(const array::Program& program, const SearchOptions& options) -> Result<SearchResult>;

}  // namespace tacet::schedule
