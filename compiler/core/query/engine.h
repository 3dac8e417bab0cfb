#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "base/cancellation.h"
#include "compiler/core/query/claims.h"
#include "compiler/core/query/event.h"
#include "compiler/core/query/node_store.h"
#include "compiler/core/query/services.h"

namespace tacet::query {

struct QueryStatistics;
struct OpenNode;
struct Run;

/// Notes that the running query of `run` read `id`.
void record(Run& run, NodeId id, Durability durability);

/// The part of the database that knows no types: revisions, readers and the one
/// writer, revalidation, cycles and eviction. `database.h` is its face.
class Engine {
 public:
  explicit Engine(Services services);
  ~Engine();
  Engine(const Engine&) = delete;
  auto operator=(const Engine&) -> Engine& = delete;

  auto store() -> NodeStore& { return store_; }
  [[nodiscard]] auto services() const -> const Services& { return services_; }

  // --- Readers. ---

  /// The state that a reader of the present revision must go on seeing.
  [[nodiscard]] auto read_state() const -> uint64_t {
    return state_.load(std::memory_order_acquire) & ~kWriting;
  }
  [[nodiscard]] auto is_superseded(uint64_t state) const -> bool {
    return state_.load(std::memory_order_relaxed) != state;
  }

  /// Keeps the writer out until `end_run`. Throws `Cancelled` if `state` no longer exists.
  auto begin_run(uint64_t state, const CancellationToken* token) -> Run&;
  void end_run(Run& run);
  static auto context_of(Run& run) -> Context&;

  /// Makes the node readable, by whatever it takes, and notes the read. Returns null
  /// if the value then lies in the node, else the value to use: the node is on a
  /// cycle with the running query.
  auto fetch(Run& run, NodeId id) -> const void*;

  void check_cancelled(const Run& run) const;

  /// The node whose `compute` is running in `run`; it must be one of `type`.
  auto running_node(Run& run, const QueryType& type) -> const Node&;

  // --- The writer. ---

  /// Serialises writers; held from the first to the last of the following calls.
  auto write_mutex() -> std::mutex& { return write_mutex_; }
  /// Sends the readers away, waits until they left and begins a new revision.
  void begin_change();
  /// Notes that an input was set or removed, and whether its value `differs`.
  void input_changed(Node& node, bool differs, Durability durability);
  /// Evicts, and lets readers of the new revision in.
  void end_change();
  /// Drops the memos that were not verified in the last `n_revisions` revisions.
  void forget_unused(Revision n_revisions);

  void set_event_hook(EventHook hook) { hook_ = std::move(hook); }
  [[nodiscard]] auto revision() const -> Revision { return revision_of(read_state()); }
  auto statistics() -> std::vector<QueryStatistics>;
  static auto revision_of(uint64_t state) -> Revision { return static_cast<Revision>(state >> 1); }

 private:
  static constexpr uint64_t kWriting = 1;

  enum class Need : uint8_t { Verdict, Value };

  void leave();
  void emit(EventKind kind, const QueryType& type, const Node& node) const;

  // Revalidation: revalidate.cpp.
  auto bring_up(Run& run, NodeId id, Need need) -> const void*;
  void bring_up_input(NodeId id, Node& node, Need need);
  void work_on(Run& run, NodeId id, Need need);
  void settle(Run& run, NodeId id, Need need);
  auto is_unchanged(Run& run, Node& node) -> bool;
  void execute(Run& run, NodeId id, bool keep_memo);
  void abandon(Run& run, uint32_t depth);

  // Flat queries: flatten.cpp.
  auto flattened(Run& run, std::span<const NodeId> reads) -> std::span<const NodeId>;
  auto stops_changes(Revision now, const Node& node) -> bool;
  auto was_verified_below(const Run& run, const Node& node) -> bool;

  // Cycles: cycle.cpp.
  auto enter_cycle(Run& run, NodeId id) -> const void*;
  void close_member(Run& run);
  void commit_cycle(Run& run, size_t first_open);
  void commit_member(Run& run, const OpenNode& member, Durability durability);

  // Eviction: evict.cpp.
  void evict(QueryTable& table);

  NodeStore store_;
  const Services services_;
  EventHook hook_;

  /// Twice the revision, plus one while a writer is at work or waits to be.
  std::atomic<uint64_t> state_ = 2;
  std::atomic<uint32_t> n_readers_ = 0;
  std::mutex write_mutex_;
  std::mutex readers_mutex_;
  std::condition_variable readers_left_;

  /// The last revision in which an input of at least this durability changed.
  std::array<Revision, kDurabilities> last_changed_ = {1, 1, 1};
  /// The revision that a write is making.
  Revision write_revision_ = 1;

  Claims claims_{store_};
};

}  // namespace tacet::query
