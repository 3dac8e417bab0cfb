#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/distribution/owners.h"

namespace tacet::engine::distribution {
namespace {

/// One schedule in the making.
class ListSchedule {
 public:
  ListSchedule(const WorkGraph& graph, const Machines& machines)
      : graph_(graph),
        machines_(machines),
        owners_(graph.nodes.size(), kNone),
        finish_(graph.nodes.size()),
        threads_(machines.n_ranks, std::vector<double>(machines.n_threads)),
        sender_(machines.n_ranks),
        arrivals_(graph.nodes.size()),
        shared_at_(graph.shared_microseconds.size(), std::vector<bool>(machines.n_ranks, false)) {}

  void place(uint32_t node) {
    if (graph_.nodes[node].is_input) {
      owners_[node] = 0;
      return;
    }
    uint32_t best = 0;
    double best_finish = std::numeric_limits<double>::infinity();
    double best_bytes = 0;
    for (uint32_t rank = 0; rank < machines_.n_ranks; ++rank) {
      const auto [finish, bytes] = try_at(node, rank);
      if (finish < best_finish || (finish == best_finish && bytes < best_bytes)) {
        best = rank;
        best_finish = finish;
        best_bytes = bytes;
      }
    }
    put(node, best);
  }

  auto owners() && -> Owners { return std::move(owners_); }

 private:
  struct Attempt {
    double finish;
    double bytes;
  };

  auto message_time(uint32_t node) const -> double {
    return static_cast<double>(graph_.nodes[node].bytes) / machines_.bytes_per_second * 1e6;
  }

  auto arrival(uint32_t operand, uint32_t rank) const -> double {
    if (owners_[operand] == rank) {
      return finish_[operand];
    }
    for (const auto& [to, time] : arrivals_[operand]) {
      if (to == rank) {
        return time;
      }
    }
    return std::max(finish_[operand], sender_[owners_[operand]]) + message_time(operand) +
           machines_.latency_microseconds;
  }

  auto cost_at(uint32_t node, uint32_t rank) const -> double {
    const WorkNode& work = graph_.nodes[node];
    const bool is_first = work.shared != kNone && !shared_at_[work.shared][rank];
    return work.microseconds + (is_first ? graph_.shared_microseconds[work.shared] : 0);
  }

  auto start_at(uint32_t node, uint32_t rank) const -> double {
    double start = *std::min_element(threads_[rank].begin(), threads_[rank].end());
    for (const uint32_t operand : graph_.nodes[node].operands) {
      if (operand != kNone) {
        start = std::max(start, arrival(operand, rank));
      }
    }
    return start;
  }

  auto try_at(uint32_t node, uint32_t rank) const -> Attempt {
    double bytes = 0;
    for (const uint32_t operand : graph_.nodes[node].operands) {
      if (operand != kNone && owners_[operand] != rank) {
        bytes += static_cast<double>(graph_.nodes[operand].bytes);
      }
    }
    return {start_at(node, rank) + cost_at(node, rank), bytes};
  }

  void put(uint32_t node, uint32_t rank) {
    const double start = start_at(node, rank);
    for (const uint32_t operand : graph_.nodes[node].operands) {
      if (operand == kNone || owners_[operand] == rank) {
        continue;
      }
      auto& known = arrivals_[operand];
      const bool is_sent = std::any_of(known.begin(), known.end(),
                                       [&](const auto& sent) { return sent.first == rank; });
      if (!is_sent) {
        const double time = arrival(operand, rank);
        known.emplace_back(rank, time);
        sender_[owners_[operand]] = time - machines_.latency_microseconds;
      }
    }
    finish_[node] = start + cost_at(node, rank);
    if (graph_.nodes[node].shared != kNone) {
      shared_at_[graph_.nodes[node].shared][rank] = true;
    }
    *std::min_element(threads_[rank].begin(), threads_[rank].end()) = finish_[node];
    owners_[node] = rank;
  }

  const WorkGraph& graph_;
  const Machines& machines_;
  Owners owners_;
  std::vector<double> finish_;
  std::vector<std::vector<double>> threads_;  ///< of each rank: when they are free
  std::vector<double> sender_;                ///< likewise
  std::vector<std::vector<std::pair<uint32_t, double>>> arrivals_;
  std::vector<std::vector<bool>> shared_at_;
};

}  // namespace

auto assign_by_lists(const WorkGraph& graph, const std::vector<bool>& is_needed,
                     const Machines& machines) -> Owners {
  const size_t n = graph.nodes.size();
  std::vector<double> to_end(n);
  for (size_t i = n; i-- > 0;) {
    const WorkNode& node = graph.nodes[i];
    to_end[i] += node.microseconds;
    for (const uint32_t operand : node.operands) {
      if (operand == kNone || !is_needed[i]) {
        continue;
      }
      const double message =
          static_cast<double>(graph.nodes[operand].bytes) / machines.bytes_per_second * 1e6 +
          machines.latency_microseconds;
      const double others = static_cast<double>(machines.n_ranks - 1) / machines.n_ranks;
      to_end[operand] = std::max(to_end[operand], to_end[i] + others * message);
    }
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < n; ++i) {
    if (is_needed[i]) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return to_end[a] > to_end[b]; });
  ListSchedule schedule(graph, machines);
  for (const uint32_t node : order) {
    schedule.place(node);
  }
  return std::move(schedule).owners();
}

}  // namespace tacet::engine::distribution
