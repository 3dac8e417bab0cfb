// What the memo of a flat query keeps in the place of what it read.
//
// The reads of a memo and what these read form a graph, whose ends are inputs. A memo is good as
// long as every path from it to an input meets a node that did not change. Which nodes are best for
// that, the past shows: one that stayed the same although something that it read changed stops
// changes, as the text of one item does when others of its file are edited. A first memo knows of
// no past, and keeps what it read until it is revalidated.
//
// Let all these nodes be unchanged since a revision in which the memo was good. Then no node
// between has come out different, or read something else, since then: so the same nodes go on to
// lie on all paths, and the memo is still good. Any node may be one of them, but no query between
// may have an `on_cycle`: whether that is on a cycle is not said by the values that it read. Nor is
// a node looked into that read something not verified in this revision, below what needed no look:
// another thread may be writing there.

#include <algorithm>

#include "compiler/core/query/engine.h"
#include "compiler/core/query/run.h"

namespace tacet::query {

/// How many nodes are looked into; those behind stand for themselves.
static constexpr size_t kMostVisited = 4096;

/// Did a node stay the same although something that it read did not? True also where that cannot be
/// found out. The node is verified.
auto Engine::stops_changes(Revision now, const Node& node) -> bool {
  const std::span<const NodeId> reads = node.dependencies.ids();
  return std::any_of(reads.begin(), reads.end(), [&](NodeId id) {
    const Node& read = store_.node(id);
    return !read.is_verified(now) || read.changed_at > node.changed_at;
  });
}

/// The nodes whose changes are those of a query that has read `reads`, each of which is verified,
/// in the order in which revalidation would come to ask them.
auto Engine::flattened(Run& run, std::span<const NodeId> reads) -> std::span<const NodeId> {
  run.leaves.clear();
  run.visited.clear();
  // Depth first; what is to be visited next is last.
  std::vector<NodeId> waiting(reads.rbegin(), reads.rend());
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    const size_t n_visited = run.visited.ids().size();
    run.visited.add(id);
    if (run.visited.ids().size() == n_visited) {
      continue;
    }
    const Node& node = store_.node(id);
    const QueryType& type = *store_.table_of(id).type;
    const bool is_leaf = type.is_input || type.is_recoverable || type.is_flat ||
                         n_visited >= kMostVisited || !node.is_verified(run.revision) ||
                         stops_changes(run.revision, node);
    if (is_leaf) {
      run.leaves.push_back(id);
      continue;
    }
    const std::span<const NodeId> below = node.dependencies.ids();
    waiting.insert(waiting.end(), below.rbegin(), below.rend());
  }
  return run.leaves;
}

}  // namespace tacet::query
