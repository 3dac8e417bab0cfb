#include "compiler/he/relinearise/minimum_cut.h"

#include <algorithm>

namespace tacet::relinearise {

MinimumCut::MinimumCut(size_t n_vertices)
    : edges_of_(n_vertices), level_(n_vertices), next_(n_vertices) {}

void MinimumCut::add_edge(size_t from, size_t to, double capacity) {
  if (capacity > 0) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({.to = to, .rest = capacity});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({.to = from, .rest = 0});
  }
}

auto MinimumCut::source_side(size_t source, size_t sink) -> std::vector<bool> {
  while (find_levels(source, sink)) {
    std::fill(next_.begin(), next_.end(), 0);
    while (push(source, sink)) {
    }
  }
  std::vector<bool> side(level_.size());
  for (size_t v = 0; v < side.size(); ++v) {
    side[v] = level_[v] != kUnreached;
  }
  return side;
}

auto MinimumCut::find_levels(size_t source, size_t sink) -> bool {
  std::fill(level_.begin(), level_.end(), kUnreached);
  std::vector<size_t> queue{source};
  level_[source] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (const size_t e : edges_of_[queue[i]]) {
      if (edges_[e].rest > 0 && level_[edges_[e].to] == kUnreached) {
        level_[edges_[e].to] = level_[queue[i]] + 1;
        queue.push_back(edges_[e].to);
      }
    }
  }
  return level_[sink] != kUnreached;
}

/// Another path from source to sink through the layers, filled.
auto MinimumCut::push(size_t source, size_t sink) -> bool {
  std::vector<size_t> path;
  size_t v = source;
  while (v != sink) {
    size_t& i = next_[v];
    while (i < edges_of_[v].size() && !leads_on(v, edges_of_[v][i])) {
      ++i;
    }
    if (i < edges_of_[v].size()) {
      path.push_back(edges_of_[v][i]);
      v = edges_[path.back()].to;
    } else if (path.empty()) {
      return false;
    } else {
      v = edges_[path.back() ^ 1].to;
      path.pop_back();
      ++next_[v];
    }
  }
  double amount = kInfinite;
  for (const size_t e : path) {
    amount = std::min(amount, edges_[e].rest);
  }
  for (const size_t e : path) {
    edges_[e].rest -= amount;
    edges_[e ^ 1].rest += amount;
  }
  return true;
}

auto MinimumCut::leads_on(size_t from, size_t edge) const -> bool {
  return edges_[edge].rest > 0 && level_[edges_[edge].to] == level_[from] + 1;
}

}  // namespace tacet::relinearise
