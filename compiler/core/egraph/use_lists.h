#pragma once

#include <cstdint>
#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// The uses of each class, oldest first. A use is a slot: a place for a child of the node that owns
/// the slot.
class UseLists {
 public:
  /// A class without uses, with the next id.
  void add_class() { lists_.emplace_back(); }

  /// Slots up to `n_slots`, all new ones owned by `owner`.
  void add_slots(size_t n_slots, NodeId owner) {
    next_.resize(n_slots, kNone);
    owner_.resize(n_slots, owner);
  }

  void add(ClassId id, uint32_t slot) {
    List& list = lists_[id.index];
    next_[slot] = kNone;
    if (list.first == kNone) {
      list.first = slot;
    } else {
      next_[list.last] = slot;
    }
    list.last = slot;
    ++list.size;
  }

  [[nodiscard]] auto n_uses(ClassId id) const -> uint32_t { return lists_[id.index].size; }

  /// Calls `visit(owner)` for each use.
  template <class Visit>
  void for_each(ClassId id, const Visit& visit) const {
    for (uint32_t slot = lists_[id.index].first; slot != kNone; slot = next_[slot]) {
      visit(owner_[slot]);
    }
  }

  /// Empties the list and calls `visit(slot, owner)` for each use that was in it, which may add the
  /// slot to another class.
  template <class Visit>
  void take_each(ClassId id, const Visit& visit) {
    uint32_t slot = lists_[id.index].first;
    lists_[id.index] = {};
    while (slot != kNone) {
      const uint32_t next = next_[slot];
      visit(slot, owner_[slot]);
      slot = next;
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct List {
    uint32_t first = kNone;
    uint32_t last = kNone;
    uint32_t size = 0;
  };

  std::vector<List> lists_;     // by class
  std::vector<uint32_t> next_;  // by slot
  std::vector<NodeId> owner_;   // by slot
};

}  // namespace tacet::egraph
