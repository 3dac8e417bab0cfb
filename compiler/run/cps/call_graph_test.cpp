#include "compiler/run/cps/call_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tacet::cps {
namespace {

auto is_acyclic(const CallGraph& graph, const std::vector<uint32_t>& cut) -> bool {
  std::vector<uint32_t> n_incoming(graph.n_functions, 0);
  std::vector<bool> is_cut(graph.edges.size(), false);
  for (uint32_t edge : cut) {
    is_cut[edge] = true;
  }
  for (uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
    n_incoming[graph.edges[edge].callee] += is_cut[edge] ? 0 : 1;
  }
  std::vector<uint32_t> free;
  for (uint32_t function = 0; function < graph.n_functions; ++function) {
    if (n_incoming[function] == 0) {
      free.push_back(function);
    }
  }
  size_t n_done = 0;
  while (!free.empty()) {
    const uint32_t at = free.back();
    free.pop_back();
    ++n_done;
    for (uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
      if (!is_cut[edge] && graph.edges[edge].caller == at &&
          --n_incoming[graph.edges[edge].callee] == 0) {
        free.push_back(graph.edges[edge].callee);
      }
    }
  }
  return n_done == graph.n_functions;
}

auto random_graph(std::mt19937_64& random, uint32_t n, uint32_t n_edges) -> CallGraph {
  CallGraph graph;
  graph.n_functions = n;
  for (uint32_t i = 0; i < n_edges; ++i) {
    const auto caller = static_cast<uint32_t>(random() % n);
    const auto callee = static_cast<uint32_t>(random() % n);
    const bool is_new =
        std::none_of(graph.edges.begin(), graph.edges.end(), [&](const CallGraph::Edge& edge) {
          return edge.caller == caller && edge.callee == callee;
        });
    if (is_new) {
      graph.edges.push_back({caller, callee, 1 + static_cast<uint32_t>(random() % 3)});
    }
  }
  return graph;
}

/// The fewest edges, and then calls, by trying all sets.
auto least_cost(const CallGraph& graph) -> std::pair<size_t, uint64_t> {
  std::pair<size_t, uint64_t> best = {graph.edges.size() + 1, 0};
  for (uint32_t set = 0; set < uint32_t{1} << graph.edges.size(); ++set) {
    std::vector<uint32_t> cut;
    uint64_t n_calls = 0;
    for (uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
      if ((set >> edge & 1U) != 0) {
        cut.push_back(edge);
        n_calls += graph.edges[edge].n_calls;
      }
    }
    if (std::pair(cut.size(), n_calls) < best && is_acyclic(graph, cut)) {
      best = {cut.size(), n_calls};
    }
  }
  return best;
}

TEST(YieldEdges, AreTheFewestInSmallGraphs) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const CallGraph graph = random_graph(random, 1 + static_cast<uint32_t>(random() % 5), 9);
    const std::vector<uint32_t> cut = yield_edges(graph);
    uint64_t n_calls = 0;
    for (uint32_t edge : cut) {
      n_calls += graph.edges[edge].n_calls;
    }
    ASSERT_TRUE(is_acyclic(graph, cut));
    ASSERT_EQ(std::pair(cut.size(), n_calls), least_cost(graph));
  }
}

TEST(YieldEdges, AreAllNeededInLargeGraphs) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20; ++i) {
    const CallGraph graph = random_graph(random, 60, 150);
    const std::vector<uint32_t> cut = yield_edges(graph);
    ASSERT_TRUE(is_acyclic(graph, cut));
    for (size_t without = 0; without < cut.size(); ++without) {
      std::vector<uint32_t> fewer = cut;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(without));
      ASSERT_FALSE(is_acyclic(graph, fewer));
    }
  }
}

TEST(YieldEdges, OneOfTwoThatCallEachOther) {
  CallGraph graph;
  graph.n_functions = 3;
  graph.edges = {{0, 1, 5}, {1, 0, 2}, {2, 0, 1}, {2, 2, 1}};
  EXPECT_EQ(yield_edges(graph), (std::vector<uint32_t>{1, 3}));
}

TEST(YieldEdges, NoneWithoutRecursion) {
  CallGraph graph;
  graph.n_functions = 3;
  graph.edges = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}};
  EXPECT_TRUE(yield_edges(graph).empty());
}

}  // namespace
}  // namespace tacet::cps
