// How a node becomes good for the present revision: nothing to do, revalidated by
// what it read, or computed.

#include <algorithm>

#include "compiler/core/query/engine.h"
#include "compiler/core/query/run.h"

namespace tacet::query {

static void push_frame(Run& run, NodeId id) {
  if (run.depth == run.frames.size()) {
    run.frames.push_back(std::make_unique<Frame>());
  }
  Frame& frame = *run.frames[run.depth];
  frame.id = id;
  frame.reads.clear();
  frame.durability = Durability::High;
  frame.on_cycle = false;
  frame.low = run.depth;
  frame.cycle_value.reset();
  frame.is_recovering = false;
  frame.first_open = run.open.size();
  ++run.depth;
}

auto Engine::fetch(Run& run, NodeId id) -> const void* {
  const void* provisional = bring_up(run, id, Need::Value);
  // A provisional value says nothing on durability: the members of a cycle get a
  // common one when all of it was seen.
  record(run, id, provisional == nullptr ? store_.node(id).durability : Durability::High);
  return provisional;
}

auto Engine::bring_up(Run& run, NodeId id, Need need) -> const void* {
  Node& node = store_.node(id);
  const auto is_done = [&] {
    return need == Need::Value ? node.is_readable(run.revision) : node.is_verified(run.revision);
  };
  for (;;) {
    check_cancelled(run);
    if (is_done()) {
      return nullptr;
    }
    if (store_.table_of(id).type->is_input) {
      bring_up_input(id, node, need);
      return nullptr;
    }
    switch (Claims::claim(run, node)) {
      case Claims::Claim::Mine:
        return enter_cycle(run, id);
      case Claims::Claim::Busy:
        if (!claims_.wait_for(run, id, [&] { return is_superseded(run.context.state_); })) {
          continue;
        }
        break;
      case Claims::Claim::Taken:
        break;
    }
    if (is_done()) {
      claims_.release(id);
      return nullptr;
    }
    work_on(run, id, need);
  }
}

/// An input comes here only while it is not set.
void Engine::bring_up_input(NodeId id, Node& node, Need need) {
  if (need == Need::Verdict) {
    return;
  }
  QueryTable& table = store_.table_of(id);
  if (table.type->store_absent == nullptr) {
    const std::string message = "input read before it was set: " + node_text(*table.type, node);
    TACET_CHECK(false, message.c_str());
  }
  const std::lock_guard lock(table.mutex);
  if (!node.has_value.load(std::memory_order_relaxed)) {
    table.type->store_absent(node);
    node.verified_at.store(kAlwaysVerified, std::memory_order_release);
  }
}

/// Settles a node whose claim this run has just got, and gives the claim back. After a
/// restart the node is as it was, and a run that waited for it has the claim.
void Engine::work_on(Run& run, NodeId id, Need need) {
  const uint32_t depth = run.depth;
  push_frame(run, id);
  try {
    settle(run, id, need);
  } catch (const Restart& restart) {
    abandon(run, depth);
    claims_.hand_over(id);
    if (restart.depth != depth) {
      throw;
    }
  } catch (...) {
    abandon(run, depth);
    claims_.release(id);
    throw;
  }
}

/// Is all that the memo read verified in this revision? Not where durability made a look
/// superfluous.
auto Engine::was_verified_below(const Run& run, const Node& node) -> bool {
  const std::span<const NodeId> reads = node.dependencies.ids();
  return std::all_of(reads.begin(), reads.end(),
                     [&](NodeId id) { return store_.node(id).is_verified(run.revision); });
}

void Engine::settle(Run& run, NodeId id, Need need) {
  Node& node = store_.node(id);
  QueryTable& table = store_.table_of(id);
  const bool unchanged = is_unchanged(run, node);
  const bool is_enough = need == Need::Verdict || node.has_value.load(std::memory_order_relaxed);
  if (!unchanged || !is_enough) {
    execute(run, id, unchanged);
    return;
  }
  if (table.type->is_flat && !node.dependencies.is_flattened() && was_verified_below(run, node)) {
    node.dependencies.assign(flattened(run, node.dependencies.ids()), true);
  }
  emit(EventKind::Unchanged, *table.type, node);
  table.counts_of(run.number).n_unchanged.fetch_add(1, std::memory_order_relaxed);
  node.verified_at.store(run.revision, std::memory_order_release);
  --run.depth;
  claims_.release(id);
}

/// Is the old memo good for this revision? Dependencies are asked in the order in which
/// they were read: as long as they are unchanged, `compute` would come to ask the next
/// one too, so nothing is computed here that `compute` would not need.
auto Engine::is_unchanged(Run& run, Node& node) -> bool {
  const Revision verified_at = node.verified_at.load(std::memory_order_relaxed);
  if (verified_at == 0) {
    return false;
  }
  if (last_changed_[static_cast<size_t>(node.durability)] <= verified_at) {
    return true;
  }
  if (node.on_cycle) {
    return false;
  }
  const Frame& frame = run.top();
  Durability durability = Durability::High;
  // Most of the time here is spent waiting for memory: let it come for all at once.
  for (NodeId id : node.dependencies.ids()) {
    __builtin_prefetch(&store_.node(id));
  }
  for (NodeId id : node.dependencies.ids()) {
    const Node& dependency = store_.node(id);
    if (!dependency.is_verified(run.revision)) {
      bring_up(run, id, Need::Verdict);
      if (frame.on_cycle) {
        return false;
      }
    }
    if (dependency.changed_at > verified_at) {
      return false;
    }
    durability = std::min(durability, dependency.durability);
  }
  node.durability = durability;
  return true;
}

/// Runs `compute`. With `keep_memo` only the value was missing: what else the memo says
/// holds, and other threads may be reading it.
void Engine::execute(Run& run, NodeId id, bool keep_memo) {
  Node& node = store_.node(id);
  QueryTable& table = store_.table_of(id);
  Frame& frame = run.top();
  const bool had_value = node.has_value.load(std::memory_order_relaxed);
  const bool had_memo = node.verified_at.load(std::memory_order_relaxed) != 0;
  emit(EventKind::Executed, *table.type, node);
  table.counts_of(run.number).n_executed.fetch_add(1, std::memory_order_relaxed);

  const Outcome outcome = table.type->compute(run.context, node);
  if (outcome == Outcome::Discarded) {
    close_member(run);
    return;
  }
  if (!keep_memo) {
    if (outcome == Outcome::Changed) {
      node.changed_at = run.revision;
    }
    node.durability = frame.durability;
    node.on_cycle = false;
    if (table.type->is_flat && had_memo) {
      node.dependencies.assign(flattened(run, frame.reads.ids()), true);
    } else {
      node.dependencies.assign(frame.reads.ids());
    }
  }
  node.verified_at.store(run.revision, std::memory_order_release);
  if (!had_value) {
    table.note_value(id);
  }
  --run.depth;
  claims_.release(id);
}

/// Takes back what the frame at `depth` and those inside it did.
void Engine::abandon(Run& run, uint32_t depth) {
  const size_t first_open = run.frames[depth]->first_open;
  while (run.open.size() > first_open) {
    const NodeId id = run.open.back().id;
    run.open.pop_back();
    claims_.hand_over(id);
  }
  run.frames[depth]->cycle_value.reset();
  run.depth = depth;
}

}  // namespace tacet::query
