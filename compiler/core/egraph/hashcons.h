#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// The hash of a node that looks like this.
auto hash_of_node(OpId op, std::span<const ClassId> children) -> uint32_t;

/// An open-addressing hash table of node ids: linear probing, deletion by shifting back, so that
/// there are no tombstones. What a node looks like is its owner's business: the owner gives
/// hashes and compares.
class Hashcons {
 public:
  /// The first node with this hash for which `equal(node)` holds, or no node.
  template <class Equal>
  [[nodiscard]] auto find(uint32_t hash, Equal&& equal) const -> NodeId {
    if (slots_.empty()) {
      return {};
    }
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot slot = slots_[at];
      if (!slot.node.has_value()) {
        return {};
      }
      if (slot.hash == hash && equal(slot.node)) {
        return slot.node;
      }
    }
  }

  /// Adds a node that is not in the table.
  void insert(uint32_t hash, NodeId node);

  /// Removes a node that was inserted with `hash`.
  void erase(uint32_t hash, NodeId node);

  [[nodiscard]] auto size() const -> size_t { return size_; }

 private:
  struct Slot {
    uint32_t hash = 0;
    NodeId node;
  };

  [[nodiscard]] auto mask() const -> size_t { return slots_.size() - 1; }
  void grow();
  void place(Slot slot);

  std::vector<Slot> slots_;  // a power of two of them, at most three quarters in use
  size_t size_ = 0;
};

}  // namespace tacet::egraph
