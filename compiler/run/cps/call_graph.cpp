#include "compiler/run/cps/call_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/components.h"

namespace tacet::cps {

namespace {

/// Edges by caller.
struct Adjacency {
  explicit Adjacency(const CallGraph& graph) : outgoing(graph.n_functions) {
    for (uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
      outgoing[graph.edges[edge].caller].push_back(edge);
    }
  }
  std::vector<std::vector<uint32_t>> outgoing;
};

/// Fewer edges first, then fewer calls.
using Cost = std::pair<uint32_t, uint64_t>;

/// `cost[set]` is the least that must be cut so that the functions of `set` can be in some order in
/// which no call goes back. The last one of the order pays for its calls into the others.
auto exact(const CallGraph& graph, const std::vector<uint32_t>& members,
           const std::vector<uint32_t>& edges) -> std::vector<uint32_t> {
  const auto n = static_cast<uint32_t>(members.size());
  std::vector<uint32_t> place(graph.n_functions);
  for (uint32_t i = 0; i < n; ++i) {
    place[members[i]] = i;
  }
  std::vector<std::vector<uint32_t>> calls(n, std::vector<uint32_t>(n, 0));
  for (uint32_t edge : edges) {
    calls[place[graph.edges[edge].caller]][place[graph.edges[edge].callee]] =
        graph.edges[edge].n_calls;
  }
  const uint32_t n_sets = uint32_t{1} << n;
  std::vector<Cost> cost(n_sets, {std::numeric_limits<uint32_t>::max(), 0});
  std::vector<uint32_t> last(n_sets, 0);
  cost[0] = {0, 0};
  for (uint32_t set = 1; set < n_sets; ++set) {
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t rest = set & ~(uint32_t{1} << i);
      if (rest == set) {
        continue;
      }
      Cost with = cost[rest];
      for (uint32_t k = 0; k < n; ++k) {
        if ((rest >> k & 1U) != 0 && calls[i][k] > 0) {
          with.first += 1;
          with.second += calls[i][k];
        }
      }
      if (with < cost[set]) {
        cost[set] = with;
        last[set] = i;
      }
    }
  }
  std::vector<uint32_t> rank(n);
  for (uint32_t set = n_sets - 1, i = n; set != 0; set &= ~(uint32_t{1} << last[set])) {
    rank[last[set]] = --i;
  }
  std::vector<uint32_t> cut;
  for (uint32_t edge : edges) {
    if (rank[place[graph.edges[edge].callee]] <= rank[place[graph.edges[edge].caller]]) {
      cut.push_back(edge);
    }
  }
  return cut;
}

/// The edges that go back to a function whose search is not done.
auto back_edges(const CallGraph& graph, const Adjacency& adjacency,
                const std::vector<uint32_t>& members, const std::vector<bool>& is_inside)
    -> std::vector<uint32_t> {
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> state(graph.n_functions, State::New);
  std::vector<uint32_t> found;
  for (uint32_t root : members) {
    std::vector<std::pair<uint32_t, uint32_t>> path;
    if (state[root] == State::New) {
      state[root] = State::Open;
      path.emplace_back(root, 0);
    }
    while (!path.empty()) {
      auto& [at, n_done] = path.back();
      if (n_done == adjacency.outgoing[at].size()) {
        state[at] = State::Done;
        path.pop_back();
        continue;
      }
      const uint32_t edge = adjacency.outgoing[at][n_done++];
      const uint32_t next = graph.edges[edge].callee;
      if (!is_inside[edge] || state[next] == State::Done) {
        continue;
      }
      if (state[next] == State::Open) {
        found.push_back(edge);
      } else {
        state[next] = State::Open;
        path.emplace_back(next, 0);
      }
    }
  }
  return found;
}

/// Is `to` reached from `from` over edges that are not cut?
auto reaches(const CallGraph& graph, const Adjacency& adjacency, const std::vector<bool>& is_inside,
             const std::vector<bool>& is_cut, uint32_t from, uint32_t to) -> bool {
  std::vector<bool> seen(graph.n_functions, false);
  std::vector<uint32_t> to_do = {from};
  while (!to_do.empty()) {
    const uint32_t at = to_do.back();
    to_do.pop_back();
    if (at == to) {
      return true;
    }
    if (seen[at]) {
      continue;
    }
    seen[at] = true;
    for (uint32_t edge : adjacency.outgoing[at]) {
      if (is_inside[edge] && !is_cut[edge]) {
        to_do.push_back(graph.edges[edge].callee);
      }
    }
  }
  return false;
}

auto minimal(const CallGraph& graph, const Adjacency& adjacency,
             const std::vector<uint32_t>& members, const std::vector<uint32_t>& edges)
    -> std::vector<uint32_t> {
  std::vector<bool> is_inside(graph.edges.size(), false);
  std::vector<bool> is_cut(graph.edges.size(), false);
  for (uint32_t edge : edges) {
    is_inside[edge] = true;
  }
  std::vector<uint32_t> cut = back_edges(graph, adjacency, members, is_inside);
  for (uint32_t edge : cut) {
    is_cut[edge] = true;
  }
  std::erase_if(cut, [&](uint32_t edge) {
    const CallGraph::Edge& data = graph.edges[edge];
    if (reaches(graph, adjacency, is_inside, is_cut, data.callee, data.caller)) {
      return false;
    }
    is_cut[edge] = false;
    return true;
  });
  return cut;
}

}  // namespace

auto yield_edges(const CallGraph& graph) -> std::vector<uint32_t> {
  const Adjacency adjacency(graph);
  std::vector<std::vector<uint32_t>> callees(graph.n_functions);
  for (const CallGraph::Edge& edge : graph.edges) {
    callees[edge.caller].push_back(edge.callee);
  }
  std::vector<std::vector<uint32_t>> members = strong_components(callees);
  std::vector<uint32_t> component(graph.n_functions);
  for (uint32_t i = 0; i < members.size(); ++i) {
    std::sort(members[i].begin(), members[i].end());
    for (uint32_t function : members[i]) {
      component[function] = i;
    }
  }
  std::vector<std::vector<uint32_t>> edges(members.size());
  for (uint32_t edge = 0; edge < graph.edges.size(); ++edge) {
    const uint32_t of = component[graph.edges[edge].caller];
    if (of == component[graph.edges[edge].callee]) {
      edges[of].push_back(edge);
    }
  }
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < members.size(); ++i) {
    if (edges[i].empty()) {
      continue;
    }
    const std::vector<uint32_t> cut = members[i].size() <= kMaxExactComponent
                                          ? exact(graph, members[i], edges[i])
                                          : minimal(graph, adjacency, members[i], edges[i]);
    result.insert(result.end(), cut.begin(), cut.end());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace tacet::cps
