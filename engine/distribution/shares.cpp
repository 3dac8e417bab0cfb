#include <algorithm>
#include <numeric>

#include "engine/distribution/owners.h"

namespace tacet::engine::distribution {

auto find_needed(const WorkGraph& graph) -> std::vector<bool> {
  std::vector<bool> is_needed(graph.nodes.size());
  for (const uint32_t output : graph.outputs) {
    is_needed[output] = true;
  }
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    for (const uint32_t operand : graph.nodes[i].operands) {
      if (is_needed[i] && operand != kNone) {
        is_needed[operand] = true;
      }
    }
  }
  return is_needed;
}

/// Puts in front what other ranks wait for.
static void order_nodes(const WorkGraph& graph, const Owners& owners, Distribution& distribution) {
  std::vector<bool> is_awaited(graph.nodes.size());
  for (uint32_t rank = 0; rank < distribution.shares.size(); ++rank) {
    for (const auto& [node, to] : distribution.shares[rank].sendings) {
      is_awaited[node] = true;
    }
  }
  // Outputs that the root only collects are not urgent.
  for (const uint32_t output : graph.outputs) {
    is_awaited[output] = false;
  }
  for (uint32_t rank = 0; rank < distribution.shares.size(); ++rank) {
    for (const auto& [node, to] : distribution.shares[rank].sendings) {
      is_awaited[node] = is_awaited[node] || to != 0;
    }
  }
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    for (const uint32_t operand : graph.nodes[i].operands) {
      if (is_awaited[i] && operand != kNone && owners[operand] == owners[i]) {
        is_awaited[operand] = true;
      }
    }
  }
  for (Share& share : distribution.shares) {
    std::stable_partition(share.nodes.begin(), share.nodes.end(),
                          [&](uint32_t node) { return is_awaited[node]; });
  }
}

auto shares_of(const WorkGraph& graph, const Owners& owners, uint32_t n_ranks) -> Distribution {
  Distribution result;
  result.shares.resize(n_ranks);
  std::vector<std::vector<uint32_t>> receivers(graph.nodes.size());
  const auto receives = [&](uint32_t node, uint32_t rank) {
    if (owners[node] != rank) {
      receivers[node].push_back(rank);
    }
  };
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const uint32_t rank = owners[i];
    if (rank == kNone) {
      continue;
    }
    result.shares[rank].nodes.push_back(i);
    if (graph.nodes[i].key != kNone) {
      result.shares[rank].keys.push_back(graph.nodes[i].key);
    }
    for (const uint32_t operand : graph.nodes[i].operands) {
      if (operand != kNone) {
        receives(operand, rank);
      }
    }
  }
  for (const uint32_t output : graph.outputs) {
    receives(output, 0);
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    std::vector<uint32_t>& to = receivers[i];
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
    for (const uint32_t rank : to) {
      result.shares[owners[i]].sendings.push_back({i, rank});
    }
  }
  order_nodes(graph, owners, result);
  for (Share& share : result.shares) {
    std::sort(share.keys.begin(), share.keys.end());
    share.keys.erase(std::unique(share.keys.begin(), share.keys.end()), share.keys.end());
  }
  return result;
}

auto work_of(const WorkGraph& graph, const Owners& owners, uint32_t n_ranks)
    -> std::vector<double> {
  std::vector<double> work(n_ranks);
  std::vector<std::vector<bool>> is_shared_done(
      n_ranks, std::vector<bool>(graph.shared_microseconds.size()));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const WorkNode& node = graph.nodes[i];
    const uint32_t rank = owners[i];
    if (rank == kNone) {
      continue;
    }
    work[rank] += node.microseconds;
    if (node.shared != kNone && !is_shared_done[rank][node.shared]) {
      is_shared_done[rank][node.shared] = true;
      work[rank] += graph.shared_microseconds[node.shared];
    }
  }
  work[0] += graph.root_microseconds;
  const Distribution distribution = shares_of(graph, owners, n_ranks);
  for (uint32_t rank = 0; rank < n_ranks; ++rank) {
    uint32_t packed = kNone;
    for (const auto& [node, to] : distribution.shares[rank].sendings) {
      const double cost =
          static_cast<double>(graph.nodes[node].bytes) * graph.microseconds_per_byte;
      work[to] += cost;
      work[rank] += node == packed ? 0 : cost;
      packed = node;
    }
  }
  return work;
}

auto Prediction::imbalance() const -> double {
  const double total = std::accumulate(work_microseconds.begin(), work_microseconds.end(), 0.0);
  const double most = *std::max_element(work_microseconds.begin(), work_microseconds.end());
  return total == 0 ? 0 : most * static_cast<double>(work_microseconds.size()) / total - 1;
}

}  // namespace tacet::engine::distribution
