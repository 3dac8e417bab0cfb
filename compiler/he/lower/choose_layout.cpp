#include "compiler/he/lower/choose_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "compiler/he/schedule/make_circuit.h"

namespace tacet::he_lower {
namespace {

using schedule::SearchResult;

/// Schedules of a program that are tried once there is a layout.
constexpr size_t kMostEvaluations = 40'000;

/// Making a circuit takes time for each expression: this is how many expressions of all schedules
/// together are made into circuits, at least so many schedules. It limits seconds, but by counting,
/// so that the answer is always the same.
constexpr size_t kMostWork = 600'000;
constexpr size_t kLeastEvaluations = 256;

auto n_exprs(const array::Program& program) -> size_t {
  size_t n = 1;
  for (const array::Statement& statement : program.statements) {
    n += statement.exprs.size();
  }
  return n;
}

auto costs_of(const std::vector<Ring>& rings) -> std::vector<schedule::RingCost> {
  std::vector<schedule::RingCost> costs;
  for (const Ring& ring : rings) {
    costs.push_back(ring.cost);
  }
  return costs;
}

auto searched(const array::Program& program, const LayoutOptions& options, double most_time)
    -> Result<SearchResult> {
  schedule::SearchOptions search;
  search.rings = costs_of(options.rings);
  search.most_time = most_time;
  search.executor = options.executor;
  search.cancellation = options.cancellation;
  search.progress = options.progress;
  if (!std::isinf(most_time)) {
    search.most_evaluations = kMostEvaluations;
  }
  search.most_evaluations =
      std::min(search.most_evaluations, std::max(kMostWork / n_exprs(program), kLeastEvaluations));
  return schedule::search(program, search);
}

/// The schedule that the text says, in the smallest ring that has the columns for it.
auto pinned(const array::Program& program, const LayoutOptions& options) -> Result<SearchResult> {
  std::string problem = "no ring is large enough";
  uint32_t n_tried = 0;
  for (const Ring& ring : options.rings) {
    if (ring.cost.n_columns <= n_tried) {
      continue;
    }
    n_tried = ring.cost.n_columns;
    Result<schedule::Schedule> read = options.pinned(program, n_tried);
    Result<circuit::Circuit> circuit =
        read ? schedule::make_circuit(program, *read) : Result<circuit::Circuit>(read.error());
    if (circuit) {
      SearchResult result;
      result.best = {std::move(*read), schedule::count(*circuit),
                     std::numeric_limits<double>::infinity()};
      for (const Ring& other : options.rings) {
        if (other.cost.n_columns == result.best.schedule.n_columns) {
          result.best.time =
              std::min(result.best.time, schedule::time_of(result.best.counts, other.cost));
        }
      }
      return result;
    }
    problem = circuit.error().message;
  }
  return Error{fmt::format("its `schedule` cannot be applied: {}", problem)};
}

/// Of the ring with as many columns in which the layout is the fastest; a pinned one may have a
/// number of columns that no ring has.
auto weights_for(const schedule::Candidate& layout, const std::vector<Ring>& rings)
    -> circuit::Weights {
  size_t best = rings.size();
  for (size_t ring = 0; ring < rings.size(); ++ring) {
    if (rings[ring].cost.n_columns == layout.schedule.n_columns &&
        (best == rings.size() ||
         time_of(layout.counts, rings[ring].cost) < time_of(layout.counts, rings[best].cost))) {
      best = ring;
    }
  }
  return weights_with_depth(rings, best == rings.size() ? 0 : best, layout.counts);
}

}  // namespace

auto choose_layout(const std::vector<array::Program>& programs, const LayoutOptions& options)
    -> Result<Layout> {
  std::vector<size_t> order(programs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return programs[a].statements.size() < programs[b].statements.size();
  });
  Layout layout;
  double best_time = options.most_time;
  bool is_found = false;
  std::optional<Error> error;
  for (const size_t program : order) {
    Result<SearchResult> found = options.pinned ? pinned(programs[program], options)
                                                : searched(programs[program], options, best_time);
    if (!found) {
      error = program == 0 || !error ? found.error() : error;
    } else if (found->best.time < best_time || (!is_found && found->best.time == best_time)) {
      is_found = true;
      best_time = found->best.time;
      layout = {.program = program, .search = std::move(*found), .weights = {}};
    }
  }
  if (options.cancellation.is_cancelled()) {
    stop_if_cancelled();  // nothing else is tried instead
    return Error{"the search for a schedule was cancelled"};
  }
  if (!is_found) {
    return error.value_or(Error{"no layout is fast enough"});
  }
  layout.weights = weights_for(layout.search.best, options.rings);
  return layout;
}

}  // namespace tacet::he_lower
