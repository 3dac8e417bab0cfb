// Cycles. What is on a cycle is a strongly connected component of the reads, found as
// in Tarjan's algorithm: a query on a cycle that ends before the outermost query of the
// cycle does stays open, and who reads it joins the cycle. So the members, and with them
// the values, do not depend on the query that was asked first.
//
// `compute` of a member runs to its end with `on_cycle` values for the members that it
// reads, to find all that it reads; its result is discarded.

#include <algorithm>

#include "compiler/core/query/engine.h"
#include "compiler/core/query/run.h"

namespace tacet::query {

static void check_recoverable(NodeStore& store, const Run& run, uint32_t low) {
  std::string path;
  bool is_recoverable = true;
  for (uint32_t i = low; i < run.depth; ++i) {
    const NodeId id = run.frames[i]->id;
    is_recoverable = is_recoverable && store.table_of(id).type->is_recoverable;
  }
  if (is_recoverable) {
    return;
  }
  for (uint32_t i = low; i < run.depth; ++i) {
    const NodeId id = run.frames[i]->id;
    path += node_text(*store.table_of(id).type, store.node(id)) + " -> ";
  }
  const NodeId first = run.frames[low]->id;
  path += node_text(*store.table_of(first).type, store.node(first));
  const std::string message = "query cycle without `on_cycle`: " + path;
  TACET_CHECK(is_recoverable, message.c_str());
}

/// Gives a frame its `on_cycle` value. What `on_cycle` reads is noted in the running
/// frame, which is on the same cycle; that suffices, see `Node::on_cycle`.
static void recover(NodeStore& store, Run& run, Frame& frame) {
  if (frame.cycle_value != nullptr) {
    return;
  }
  TACET_CHECK(!frame.is_recovering, "`on_cycle` reads its own query");
  frame.is_recovering = true;
  frame.cycle_value = store.table_of(frame.id).type->recover(run.context, store.node(frame.id));
  frame.is_recovering = false;
}

/// The running query requested a node that this run is computing. Returns the
/// provisional value, which will also be the final one.
auto Engine::enter_cycle(Run& run, NodeId id) -> const void* {
  const auto open = std::find_if(run.open.begin(), run.open.end(),
                                 [&](const OpenNode& node) { return node.id == id; });
  uint32_t low = run.depth;
  if (open != run.open.end()) {
    low = open->low;
  } else {
    do {
      --low;
    } while (run.frames[low]->id != id);
  }
  check_recoverable(store_, run, low);
  for (uint32_t i = low; i < run.depth; ++i) {
    run.frames[i]->on_cycle = true;
    run.frames[i]->low = std::min(run.frames[i]->low, low);
  }
  if (open != run.open.end()) {
    return open->cycle_value.get();
  }
  Frame& frame = *run.frames[low];
  recover(store_, run, frame);
  return frame.cycle_value.get();
}

/// The running query is on a cycle and its `compute` is done.
void Engine::close_member(Run& run) {
  Frame& frame = run.top();
  recover(store_, run, frame);
  run.open.push_back(OpenNode{frame.id, frame.low, frame.durability, std::move(frame.cycle_value)});
  for (size_t i = frame.first_open; i < run.open.size(); ++i) {
    run.open[i].low = std::min(run.open[i].low, frame.low);
  }
  --run.depth;
  if (frame.low == run.depth) {
    commit_cycle(run, frame.first_open);
  }
}

/// All members of a cycle are known: they become memos.
void Engine::commit_cycle(Run& run, size_t first_open) {
  Durability durability = Durability::High;
  for (size_t i = first_open; i < run.open.size(); ++i) {
    durability = std::min(durability, run.open[i].durability);
  }
  while (run.open.size() > first_open) {
    const OpenNode member = std::move(run.open.back());
    run.open.pop_back();
    commit_member(run, member, durability);
  }
}

void Engine::commit_member(Run& run, const OpenNode& member, Durability durability) {
  Node& node = store_.node(member.id);
  QueryTable& table = store_.table_of(member.id);
  emit(EventKind::Recovered, *table.type, node);
  const bool had_value = node.has_value.load(std::memory_order_relaxed);
  if (table.type->store(node, member.cycle_value.get())) {
    node.changed_at = run.revision;
  }
  node.durability = durability;
  node.on_cycle = true;
  node.dependencies.assign({});
  node.verified_at.store(run.revision, std::memory_order_release);
  if (!had_value) {
    table.note_value(member.id);
  }
  claims_.release(member.id);
}

}  // namespace tacet::query
