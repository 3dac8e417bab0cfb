#pragma once

#include <condition_variable>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/core/query/context.h"
#include "compiler/core/query/node.h"
#include "compiler/core/query/read_set.h"

namespace tacet::query {

/// One query in progress: it is being revalidated or its `compute` is running.
struct Frame {
  NodeId id;
  ReadSet reads;
  Durability durability = Durability::High;

  /// Is the query on a cycle? Then `low` is the outermost frame known to be on it too.
  bool on_cycle = false;
  uint32_t low = 0;
  /// What `on_cycle` gave, once somebody on the cycle requested it.
  DetachedValue cycle_value{nullptr, nullptr};
  bool is_recovering = false;
  /// The size of `Run::open` when this frame began.
  size_t first_open = 0;
};

/// A query on a cycle that ran to its end while an outer query of the cycle continues.
/// It stays claimed, and becomes a memo together with all the cycle.
struct OpenNode {
  NodeId id;
  uint32_t low;
  Durability durability;
  DetachedValue cycle_value;
};

/// Thrown through the queries of a run that has to give up the node of frame `depth`,
/// so that a cycle across threads ends up in one thread.
struct Restart {
  uint32_t depth;
};

/// One thread's walk through queries, from `Snapshot::run` to its end.
struct Run {
  Run(Engine& engine, uint32_t the_number) : number(the_number), context(engine, *this) {}

  /// Identifies the run in `Node::claim`; from 1.
  uint32_t number;
  /// Older runs have smaller ages and never give way to younger ones.
  uint64_t age = 0;
  Revision revision = 0;
  const CancellationToken* token = nullptr;
  Context context;

  /// The first `depth` frames are in use, the others kept for their memory.
  std::vector<std::unique_ptr<Frame>> frames;
  uint32_t depth = 0;
  std::vector<OpenNode> open;
  /// For `Engine::flattened`, kept for their memory: what it found, and where it has been.
  std::vector<NodeId> leaves;
  ReadSet visited;

  /// Waiting for another run; all guarded by the engine's wait mutex.
  std::condition_variable wake;
  NodeId blocked_on;
  bool is_woken = false;
  bool is_granted = false;
  std::optional<uint32_t> restart_depth;

  [[nodiscard]] auto top() -> Frame& { return *frames[depth - 1]; }
};

}  // namespace tacet::query
