#include <algorithm>

#include "engine/distribution/owners.h"

namespace tacet::engine::distribution {
namespace {

class Refinement {
 public:
  Refinement(const WorkGraph& graph, Owners& owners, uint32_t n_ranks)
      : graph_(graph),
        owners_(owners),
        n_ranks_(n_ranks),
        work_(work_of(graph, owners, n_ranks)),
        users_(graph.nodes.size() * n_ranks),
        shared_(graph.shared_microseconds.size() * n_ranks),
        user_ranks_(graph.nodes.size()) {
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      if (owners[i] == kNone) {
        continue;
      }
      count(i, owners[i], 1);
      for (const uint32_t operand : graph.nodes[i].operands) {
        if (operand != kNone) {
          user_ranks_[operand].push_back(i);
        }
      }
    }
    // The root reads outputs: a user that never moves.
    for (const uint32_t output : graph.outputs) {
      ++users_[place(output, 0)];
    }
  }

  /// Whether anything moved.
  auto pass(double most_work) -> bool {
    bool has_moved = false;
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      if (owners_[node] != kNone && !graph_.nodes[node].is_input) {
        has_moved = move(node, most_work) || has_moved;
      }
    }
    return has_moved;
  }

 private:
  auto place(uint32_t node, uint32_t rank) const -> size_t {
    return size_t{node} * n_ranks_ + rank;
  }

  /// Counts a node as a user of its operands and of the work that it shares, or no longer.
  void count(uint32_t node, uint32_t rank, int change) {
    const WorkNode& work = graph_.nodes[node];
    for (const uint32_t operand : work.operands) {
      if (operand != kNone) {
        users_[place(operand, rank)] += static_cast<uint32_t>(change);
      }
    }
    if (work.shared != kNone) {
      shared_[place(work.shared, rank)] += static_cast<uint32_t>(change);
    }
  }

  /// The bytes that are sent of a value made by `rank`.
  auto bytes_from(uint32_t node, uint32_t rank) const -> uint64_t {
    uint64_t n_receivers = 0;
    for (uint32_t to = 0; to < n_ranks_; ++to) {
      n_receivers += to != rank && users_[place(node, to)] > 0 ? 1 : 0;
    }
    return n_receivers * graph_.nodes[node].bytes;
  }

  /// Of the node and of its operands, when it is at `rank`.
  auto bytes_around(uint32_t node, uint32_t rank) const -> uint64_t {
    const WorkNode& work = graph_.nodes[node];
    uint64_t bytes = bytes_from(node, rank);
    for (size_t i = 0; i < 2; ++i) {
      const uint32_t operand = work.operands[i];
      if (operand != kNone && (i == 0 || operand != work.operands[0])) {
        bytes += bytes_from(operand, owners_[operand]);
      }
    }
    return bytes;
  }

  /// What a rank has to do more with the node.
  auto cost_at(uint32_t node, uint32_t rank) const -> double {
    const WorkNode& work = graph_.nodes[node];
    const bool is_alone = work.shared != kNone && shared_[place(work.shared, rank)] == 0;
    return work.microseconds + (is_alone ? graph_.shared_microseconds[work.shared] : 0);
  }

  auto move(uint32_t node, double most_work) -> bool {
    const uint32_t from = owners_[node];
    std::vector<uint32_t> targets;
    for (const uint32_t operand : graph_.nodes[node].operands) {
      if (operand != kNone) {
        targets.push_back(owners_[operand]);
      }
    }
    constexpr size_t kMostUsers = 64;  // of a value that many read, no user decides
    for (size_t i = 0; i < std::min(user_ranks_[node].size(), kMostUsers); ++i) {
      targets.push_back(owners_[user_ranks_[node][i]]);
    }
    if (users_[place(node, 0)] > 0) {
      targets.push_back(0);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    const uint64_t before = bytes_around(node, from);
    count(node, from, -1);
    uint32_t best = from;
    uint64_t best_bytes = before;
    for (const uint32_t to : targets) {
      if (to == from || to == kNone || work_[to] + cost_at(node, to) > most_work) {
        continue;
      }
      count(node, to, 1);
      const uint64_t bytes = bytes_around(node, to);
      count(node, to, -1);
      if (bytes < best_bytes) {
        best = to;
        best_bytes = bytes;
      }
    }
    work_[from] -= cost_at(node, from);
    work_[best] += cost_at(node, best);
    count(node, best, 1);
    owners_[node] = best;
    return best != from;
  }

  const WorkGraph& graph_;
  Owners& owners_;
  uint32_t n_ranks_;
  std::vector<double> work_;
  std::vector<uint32_t> users_;                    ///< of each node at each rank
  std::vector<uint32_t> shared_;                   ///< likewise, of shared work
  std::vector<std::vector<uint32_t>> user_ranks_;  ///< the users themselves
};

}  // namespace

void refine(const WorkGraph& graph, Owners& owners, uint32_t n_ranks, double most_work) {
  constexpr size_t kMostCounts = size_t{1} << 27;
  if (graph.nodes.size() * n_ranks > kMostCounts) {
    return;
  }
  Refinement refinement(graph, owners, n_ranks);
  constexpr int kPasses = 8;
  for (int pass = 0; pass < kPasses && refinement.pass(most_work); ++pass) {
  }
}

}  // namespace tacet::engine::distribution
