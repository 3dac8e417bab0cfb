#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "compiler/query/revision.h"

namespace tacet::query {

/// Finds the node of a key: open addressing over (hash, id) pairs, the keys
/// themselves lie in the nodes. Finding takes no lock and may run beside one
/// inserter. Nothing is ever removed.
class KeyIndex {
 public:
  KeyIndex() = default;

  /// The id under `hash` for which `is_key(id)` holds, else no id.
  template <class IsKey>
  auto find(uint32_t hash, const IsKey& is_key) const -> NodeId {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) {
      return {};
    }
    for (uint32_t i = hash & slots->mask;; i = (i + 1) & slots->mask) {
      const uint64_t entry = slots->entries[i].load(std::memory_order_acquire);
      if (entry == 0) {
        return {};
      }
      const NodeId id{static_cast<uint32_t>(entry) - 1};
      if (static_cast<uint32_t>(entry >> 32) == hash && is_key(id)) {
        return id;
      }
    }
  }

  /// Adds a node that is fully built. One caller at a time.
  void insert(uint32_t hash, NodeId id);

  /// Frees the arrays that were outgrown. Nobody may be in `find`.
  void free_outgrown();

 private:
  struct Slots {
    explicit Slots(uint32_t size)
        : mask(size - 1), entries(std::make_unique<std::atomic<uint64_t>[]>(size)) {}

    uint32_t mask;
    std::unique_ptr<std::atomic<uint64_t>[]> entries;
  };

  static void place(const Slots& slots, uint64_t entry);
  void grow();

  std::atomic<const Slots*> slots_ = nullptr;
  uint32_t size_ = 0;
  /// All arrays, the current one last.
  std::vector<std::unique_ptr<const Slots>> arrays_;
};

}  // namespace tacet::query
