#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/core/query/dependency_list.h"
#include "compiler/core/query/revision.h"

namespace tacet::query {

class Context;

/// The `verified_at` of an input that has a value: good in every revision.
inline constexpr Revision kAlwaysVerified = std::numeric_limits<Revision>::max();

/// The part of a memo or input that the engine works on; the key and the value
/// follow it in `TypedNode`.
///
/// `changed_at`, `durability`, `on_cycle`, `dependencies` and the value are written
/// by the holder of the claim only, before it stores `verified_at`; who has loaded
/// the present revision from there may read them without a lock until the next write.
struct Node {
  /// The last revision in which the value was known to be good. 0: there is no memo.
  std::atomic<Revision> verified_at = 0;
  /// The run that works on this node, see `Engine::claim`. 0: nobody.
  std::atomic<uint32_t> claim = 0;
  /// The last revision in which the value came out different.
  Revision changed_at = 0;
  /// False for evicted values, while the rest of the memo stays.
  std::atomic<bool> has_value = false;
  Durability durability = Durability::Low;
  /// The value came from `on_cycle`. Such a memo is never revalidated by its
  /// dependencies, which are not kept: what the cycle is must be found out afresh.
  bool on_cycle = false;
  /// For inputs: the value was given by `set`, not by `absent`. The writer's own.
  bool is_set = false;
  DependencyList dependencies;

  [[nodiscard]] auto is_verified(Revision now) const -> bool {
    return verified_at.load(std::memory_order_acquire) >= now;
  }
  [[nodiscard]] auto is_readable(Revision now) const -> bool {
    return is_verified(now) && has_value.load(std::memory_order_acquire);
  }
};

/// A node of an evictable query.
struct EvictableNode : Node {
  /// When the value was last requested: the revision above a count within it.
  std::atomic<uint64_t> used_at = 0;
};

/// A value that waits to become a memo's: what `on_cycle` gave.
using DetachedValue = std::unique_ptr<void, void (*)(void*)>;

/// What a run of `compute` ended with.
enum class Outcome : uint8_t {
  Equal,      ///< the value is equal to the old one, which was kept
  Changed,    ///< the value was stored
  Discarded,  ///< the query was found to be on a cycle; nothing was stored
};

/// A query with its types erased. One constant exists per query; its address is the
/// query's identity.
struct QueryType {
  std::string_view name;
  uint32_t node_size;
  bool is_input;
  bool is_evictable;
  bool is_recoverable;
  bool is_flat;

  auto(*compute)(Context&, Node&) -> Outcome;
  auto(*recover)(Context&, const Node&) -> DetachedValue;
  /// Moves a value into the node unless it equals the node's; says whether it differed.
  auto(*store)(Node&, void* value) -> bool;
  /// Gives an unset input the value of `absent`; null if the query has none.
  void (*store_absent)(Node&);
  void (*drop_value)(Node&);
  void (*destroy)(Node&);
  void (*append_key)(const Node&, std::string&);
};

/// `parse_file(3)`.
auto node_text(const QueryType& type, const Node& node) -> std::string;

}  // namespace tacet::query
