#include "compiler/core/query/read_set.h"

#include <algorithm>

namespace tacet::query {

void ReadSet::add(NodeId id) {
  if (ids_.size() < kScanLimit) {
    if (std::find(ids_.begin(), ids_.end(), id) == ids_.end()) {
      ids_.push_back(id);
    }
    return;
  }
  if (slots_.size() < 2 * ids_.size() + 2) {
    rehash(slots_.empty() ? 4 * kScanLimit : 2 * slots_.size());
  }
  if (add_to_slots(id)) {
    ids_.push_back(id);
  }
}

void ReadSet::clear() {
  ids_.clear();
  slots_.clear();
}

void ReadSet::rehash(size_t n_slots) {
  slots_.assign(n_slots, NodeId{});
  for (NodeId id : ids_) {
    add_to_slots(id);
  }
}

auto ReadSet::add_to_slots(NodeId id) -> bool {
  const size_t mask = slots_.size() - 1;
  size_t slot = (id.index * 0x9e3779b1U >> 7) & mask;
  for (; slots_[slot].has_value(); slot = (slot + 1) & mask) {
    if (slots_[slot] == id) {
      return false;
    }
  }
  slots_[slot] = id;
  return true;
}

}  // namespace tacet::query
