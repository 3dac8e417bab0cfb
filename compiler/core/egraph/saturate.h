#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/core/egraph/rewrite.h"
#include "compiler/core/egraph/scheduler.h"

namespace tacet::egraph {

/// Why a run ended.
enum class StopReason : uint8_t {
  Saturated,       ///< no rewrite has anything to add
  GoalReached,     ///< `SaturationOptions::is_done` said so
  NodeLimit,       ///< the graph has more nodes than allowed
  IterationLimit,  ///< as many iterations as allowed
  TimeLimit,       ///< the caller's clock passed the limit
  Cancelled,       ///< `SaturationOptions::is_cancelled` said so
};

/// What bounds a run and who watches it. Without a clock a run depends on nothing but its input.
struct SaturationOptions {
  size_t max_nodes = 10'000;
  size_t max_iterations = 30;
  SchedulerOptions scheduler = {};

  /// Seconds since some moment; with it, the report has times and `max_seconds` is kept.
  std::function<double()> clock = {};
  double max_seconds = 0;  ///< 0: no limit

  /// Polled between rewrites and within long ones; true ends the run.
  std::function<bool()> is_cancelled = {};

  /// Asked before each iteration, with a clean graph; true ends the run.
  std::function<bool(const EGraph&)> is_done = {};
};

/// What one iteration did.
struct IterationReport {
  struct PerRewrite {
    size_t n_matches = 0;
    size_t n_merges = 0;
    bool was_banned = false;
  };

  size_t n_nodes = 0;    ///< after the iteration
  size_t n_classes = 0;  ///< after the iteration
  size_t n_rebuild_merges = 0;
  std::vector<PerRewrite> rewrites;
  double search_seconds = 0;
  double apply_seconds = 0;
  double rebuild_seconds = 0;
};

/// What a run did.
struct SaturationReport {
  StopReason stop_reason = StopReason::Saturated;
  std::vector<IterationReport> iterations;
};

/// Equality saturation: in each iteration, finds the matches of all rewrites in the graph as it
/// is, applies them, and rebuilds (egg, section 3.1). Rewrite `i` gives its merges the reason
/// `Reason::rule(i)`. The graph is clean afterwards, however the run ended.
auto saturate(EGraph& graph, std::span<const Rewrite> rewrites, const SaturationOptions& options)
    -> SaturationReport;

/// The name of a stop reason, for people.
auto describe(StopReason reason) -> std::string_view;

}  // namespace tacet::egraph
