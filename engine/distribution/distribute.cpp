#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/distribution/owners.h"

namespace tacet::engine::distribution {
namespace {

struct Candidate {
  Owners owners;
  Distribution distribution;
  Prediction prediction;
};

/// Whether `a` is to be preferred: faster, or hardly slower and with less to send.
auto is_better(const Candidate& a, const Candidate& b) -> bool {
  constexpr double kEqual = 1.05;
  if (a.prediction.microseconds * kEqual < b.prediction.microseconds) {
    return true;
  }
  if (b.prediction.microseconds * kEqual < a.prediction.microseconds) {
    return false;
  }
  return a.prediction.bytes < b.prediction.bytes ||
         (a.prediction.bytes == b.prediction.bytes &&
          a.prediction.microseconds < b.prediction.microseconds);
}

class Search {
 public:
  Search(const WorkGraph& graph, const Machines& machines) : graph_(graph), machines_(machines) {}

  void offer(Owners owners) {
    add(owners);
    const std::vector<double> work = work_of(graph_, owners, machines_.n_ranks);
    const double mean = std::accumulate(work.begin(), work.end(), 0.0) / machines_.n_ranks;
    constexpr double kSlack = 1.02;
    const double most = std::max(*std::max_element(work.begin(), work.end()), kSlack * mean);
    Owners refined = owners;
    refine(graph_, refined, machines_.n_ranks, most);
    if (refined != owners) {
      add(std::move(refined));
    }
  }

  auto best() && -> Distribution { return std::move(best_->distribution); }

 private:
  void add(Owners owners) {
    Candidate candidate;
    candidate.distribution = shares_of(graph_, owners, machines_.n_ranks);
    candidate.prediction = predict(graph_, candidate.distribution, machines_);
    candidate.owners = std::move(owners);
    if (!best_ || is_better(candidate, *best_)) {
      best_ = std::move(candidate);
    }
  }

  const WorkGraph& graph_;
  const Machines& machines_;
  std::optional<Candidate> best_;
};

}  // namespace

auto distribute(const WorkGraph& graph, const Machines& machines) -> Distribution {
  const std::vector<bool> is_needed = find_needed(graph);
  Search search(graph, machines);
  // Inputs that no output needs are at the root all the same.
  Owners root(graph.nodes.size(), kNone);
  for (size_t i = 0; i < root.size(); ++i) {
    root[i] = is_needed[i] || graph.nodes[i].is_input ? 0 : kNone;
  }
  search.offer(std::move(root));
  if (machines.n_ranks > 1) {
    search.offer(assign_parts(graph, is_needed, machines.n_ranks));
    search.offer(assign_pieces(graph, program_order(graph, is_needed), machines.n_ranks));
    search.offer(assign_pieces(graph, depth_first_order(graph, is_needed), machines.n_ranks));
    constexpr double kMostAttempts = 1e8;
    if (static_cast<double>(graph.nodes.size()) * machines.n_ranks < kMostAttempts) {
      search.offer(assign_by_lists(graph, is_needed, machines));
    }
  }
  return std::move(search).best();
}

}  // namespace tacet::engine::distribution
