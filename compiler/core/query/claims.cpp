// Two threads that want the same node: one claims it, the other waits. When runs wait
// for each other in a ring, their queries form a cycle. The youngest run of the ring
// then gives up the node that another waits for, with all it had begun inside it, and
// hands it over: step by step the oldest run comes to hold the whole cycle, and finds it
// as any cycle within one thread. The oldest never gives way, so this ends.

#include "compiler/core/query/claims.h"

#include "compiler/core/query/run.h"

namespace tacet::query {

Claims::Claims(NodeStore& store) : store_(store) {}

Claims::~Claims() = default;

auto Claims::begin_run(Engine& engine) -> Run& {
  const std::lock_guard lock(mutex_);
  if (idle_runs_.empty()) {
    const auto number = static_cast<uint32_t>(runs_.size() + 1);
    runs_.push_back(std::make_unique<Run>(engine, number));
    idle_runs_.push_back(runs_.back().get());
  }
  Run& run = *idle_runs_.back();
  idle_runs_.pop_back();
  run.age = ++n_runs_begun_;
  return run;
}

void Claims::end_run(Run& run) {
  const std::lock_guard lock(mutex_);
  idle_runs_.push_back(&run);
}

auto Claims::claim(const Run& run, Node& node) -> Claim {
  uint32_t owner = 0;
  if (node.claim.compare_exchange_strong(owner, run.number)) {
    return Claim::Taken;
  }
  return (owner & ~kHasWaiters) == run.number ? Claim::Mine : Claim::Busy;
}

void Claims::release(NodeId id) {
  if ((store_.node(id).claim.exchange(0) & kHasWaiters) != 0) {
    wake_waiters(id);
  }
}

static auto is_blocked(const Run& run) -> bool {
  return run.blocked_on.has_value() && !run.is_woken && !run.is_granted && !run.restart_depth;
}

void Claims::wake_waiters(NodeId id) {
  const std::lock_guard lock(mutex_);
  for (const auto& run : runs_) {
    if (run->blocked_on == id) {
      run->is_woken = true;
      run->wake.notify_one();
    }
  }
}

void Claims::wake_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& run : runs_) {
    run->is_woken = true;
    run->wake.notify_one();
  }
}

void Claims::hand_over(NodeId id) {
  const std::lock_guard lock(mutex_);
  Run* heir = nullptr;
  for (const auto& run : runs_) {
    if (run->blocked_on == id && (heir == nullptr || run->age < heir->age)) {
      heir = run.get();
    }
  }
  if (heir == nullptr) {
    store_.node(id).claim.store(0);
    return;
  }
  store_.node(id).claim.store(heir->number | kHasWaiters);
  heir->is_granted = true;
  heir->wake.notify_one();
}

auto Claims::wait_for(Run& run, NodeId id, const std::function<bool()>& is_cancelled) -> bool {
  std::unique_lock lock(mutex_);
  std::atomic<uint32_t>& word = store_.node(id).claim;
  uint32_t owner = word.load();
  do {
    if (owner == 0) {
      return false;
    }
  } while (!word.compare_exchange_weak(owner, owner | kHasWaiters));

  run.blocked_on = id;
  run.is_woken = is_cancelled();
  run.is_granted = false;
  run.restart_depth.reset();
  break_deadlock(run, id);
  run.wake.wait(lock, [&] { return !is_blocked(run); });
  run.blocked_on = NodeId{};
  if (run.is_granted) {
    return true;
  }
  if (run.restart_depth) {
    throw Restart{*run.restart_depth};
  }
  return false;
}

auto Claims::owner_of(NodeId id) -> Run* {
  const uint32_t owner = store_.node(id).claim.load() & ~kHasWaiters;
  return owner == 0 ? nullptr : runs_[owner - 1].get();
}

/// How deep a run must go back to give up a node that it holds.
static auto depth_of(const Run& run, NodeId id) -> uint32_t {
  for (uint32_t i = 0; i < run.depth; ++i) {
    if (run.frames[i]->id == id) {
      return i;
    }
  }
  for (const OpenNode& open : run.open) {
    if (open.id == id) {
      return open.low;
    }
  }
  TACET_CHECK(false, "a claimed node belongs to no frame");
}

/// `run` is about to wait for `id`. If that closes a ring, chooses who gives way.
void Claims::break_deadlock(Run& run, NodeId id) {
  Run* victim = nullptr;
  NodeId given_up;
  NodeId wanted = id;
  for (;;) {
    Run* owner = owner_of(wanted);
    if (owner == nullptr) {
      return;
    }
    if (victim == nullptr || owner->age > victim->age) {
      victim = owner;
      given_up = wanted;
    }
    if (owner == &run) {
      break;
    }
    if (!is_blocked(*owner)) {
      return;
    }
    wanted = owner->blocked_on;
  }
  victim->restart_depth = depth_of(*victim, given_up);
  victim->wake.notify_one();
}

}  // namespace tacet::query
