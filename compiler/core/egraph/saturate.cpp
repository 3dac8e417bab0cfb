#include "compiler/core/egraph/saturate.h"

#include <optional>

namespace tacet::egraph {
namespace {

class Run {
 public:
  Run(EGraph& graph, std::span<const Rewrite> rewrites, const SaturationOptions& options)
      : graph_(graph),
        rewrites_(rewrites),
        options_(options),
        scheduler_(options.scheduler, rewrites.size()),
        started_(now()) {}

  auto run() -> SaturationReport {
    graph_.rebuild();
    while (!stop_reason_) {
      if (options_.is_done && options_.is_done(graph_)) {
        stop_reason_ = StopReason::GoalReached;
      } else if (report_.iterations.size() >= options_.max_iterations) {
        stop_reason_ = StopReason::IterationLimit;
      } else if (!hits_limit()) {
        iterate();
      }
    }
    report_.stop_reason = *stop_reason_;
    return std::move(report_);
  }

 private:
  void iterate() {
    const size_t iteration = report_.iterations.size();
    IterationReport report;
    report.rewrites.resize(rewrites_.size());
    const size_t n_nodes = graph_.n_nodes();
    const size_t n_classes = graph_.n_classes();

    double before = now();
    const std::vector<MatchList> matches = search(iteration, report);
    report.search_seconds = now() - before;

    before = now();
    size_t n_merges = 0;
    for (size_t i = 0; i < rewrites_.size() && !hits_limit(); ++i) {
      n_merges += apply(i, matches[i], report);
    }
    report.apply_seconds = now() - before;

    before = now();
    report.n_rebuild_merges = graph_.rebuild();
    report.rebuild_seconds = now() - before;

    report.n_nodes = graph_.n_nodes();
    report.n_classes = graph_.n_classes();
    report_.iterations.push_back(std::move(report));
    const bool nothing_new =
        n_merges == 0 && graph_.n_nodes() == n_nodes && graph_.n_classes() == n_classes;
    if (!stop_reason_ && nothing_new && scheduler_.can_stop(iteration)) {
      stop_reason_ = StopReason::Saturated;
    }
  }

  auto search(size_t iteration, IterationReport& report) -> std::vector<MatchList> {
    std::vector<MatchList> matches;
    matches.reserve(rewrites_.size());
    for (size_t i = 0; i < rewrites_.size(); ++i) {
      const Query& query = rewrites_[i].query;
      matches.emplace_back(query.n_vars());
      const size_t limit = scheduler_.limit(i, iteration);
      if (limit == 0 || hits_limit()) {
        report.rewrites[i].was_banned = limit == 0;
        continue;
      }
      MatchList found = query.search(graph_, limit + 1);
      report.rewrites[i].n_matches = found.size();
      if (scheduler_.admit(i, iteration, found.size())) {
        matches.back() = std::move(found);
      } else {
        report.rewrites[i].was_banned = true;
      }
    }
    return matches;
  }

  auto apply(size_t i, const MatchList& matches, IterationReport& report) -> size_t {
    size_t n_merges = 0;
    for (size_t match = 0; match < matches.size(); ++match) {
      constexpr size_t kBetweenChecks = 4096;
      if (match % kBetweenChecks == kBetweenChecks - 1 && hits_limit()) {
        break;
      }
      n_merges += apply_rewrite(graph_, rewrites_[i], matches[match],
                                Reason::rule(static_cast<uint32_t>(i)));
    }
    report.rewrites[i].n_merges = n_merges;
    return n_merges;
  }

  auto hits_limit() -> bool {
    if (stop_reason_) {
      return true;
    }
    if (graph_.n_nodes() > options_.max_nodes) {
      stop_reason_ = StopReason::NodeLimit;
    } else if (options_.is_cancelled && options_.is_cancelled()) {
      stop_reason_ = StopReason::Cancelled;
    } else if (options_.max_seconds > 0 && now() - started_ > options_.max_seconds) {
      stop_reason_ = StopReason::TimeLimit;
    }
    return stop_reason_.has_value();
  }

  auto now() const -> double { return options_.clock ? options_.clock() : 0; }

  EGraph& graph_;
  std::span<const Rewrite> rewrites_;
  const SaturationOptions& options_;
  Scheduler scheduler_;
  double started_;
  SaturationReport report_;
  std::optional<StopReason> stop_reason_;
};

}  // namespace

auto saturate(EGraph& graph, std::span<const Rewrite> rewrites, const SaturationOptions& options)
    -> SaturationReport {
  return Run(graph, rewrites, options).run();
}

auto describe(StopReason reason) -> std::string_view {
  switch (reason) {
    case StopReason::Saturated:
      return "saturated";
    case StopReason::GoalReached:
      return "goal reached";
    case StopReason::NodeLimit:
      return "node limit";
    case StopReason::IterationLimit:
      return "iteration limit";
    case StopReason::TimeLimit:
      return "time limit";
    case StopReason::Cancelled:
      return "cancelled";
  }
  return {};
}

}  // namespace tacet::egraph
