#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "compiler/core/query/node_store.h"

namespace tacet::query {

class Engine;
struct Run;

/// The runs, the nodes that each works on, and those it waits for. A node is claimed by one run at
/// a time; a run that waits may have to restart from an outer query, so that no runs wait for
/// each other in a ring.
class Claims {
 public:
  enum class Claim : uint8_t { Taken, Mine, Busy };

  explicit Claims(NodeStore& store);
  ~Claims();
  Claims(const Claims&) = delete;
  auto operator=(const Claims&) -> Claims& = delete;

  /// A run that is younger than all others.
  auto begin_run(Engine& engine) -> Run&;
  void end_run(Run& run);

  static auto claim(const Run& run, Node& node) -> Claim;
  void release(NodeId id);
  /// Gives the claim to the oldest run that waits for it, so that it is not this run that gets it
  /// again.
  void hand_over(NodeId id);

  /// Sleeps until the claim of a node may be free, or does not if `is_cancelled` holds, which is
  /// asked where `wake_all` cannot be missed. True: this run has the claim now. Throws `Restart`
  /// when this run has to give way.
  auto wait_for(Run& run, NodeId id, const std::function<bool()>& is_cancelled) -> bool;
  void wake_all();

 private:
  static constexpr uint32_t kHasWaiters = 1U << 31;

  void break_deadlock(Run& run, NodeId id);
  auto owner_of(NodeId id) -> Run*;
  void wake_waiters(NodeId id);

  NodeStore& store_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> idle_runs_;
  uint64_t n_runs_begun_ = 0;
};

}  // namespace tacet::query
