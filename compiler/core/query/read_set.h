#pragma once

#include <span>
#include <vector>

#include "compiler/core/query/revision.h"

namespace tacet::query {

/// The distinct nodes that one running query has read, in order. Reused from one
/// query to the next, so that recording allocates nothing once it is warm.
class ReadSet {
 public:
  [[nodiscard]] auto ids() const -> std::span<const NodeId> { return ids_; }

  /// Adds `id` unless it is there. A scan while there are few, then a hash table.
  void add(NodeId id);

  void clear();

 private:
  static constexpr size_t kScanLimit = 16;

  void rehash(size_t n_slots);
  auto add_to_slots(NodeId id) -> bool;

  std::vector<NodeId> ids_;
  std::vector<NodeId> slots_;
};

}  // namespace tacet::query
