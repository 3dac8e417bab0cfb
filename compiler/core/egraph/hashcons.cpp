#include "compiler/core/egraph/hashcons.h"

#include <utility>

#include "base/check.h"

namespace tacet::egraph {

auto hash_of_node(OpId op, std::span<const ClassId> children) -> uint32_t {
  uint64_t hash = (op.index + 1ULL) * 0x9e3779b97f4a7c15ULL;
  for (const ClassId child : children) {
    hash = (hash ^ (hash >> 29) ^ child.index) * 0xbf58476d1ce4e5b9ULL;
  }
  hash ^= hash >> 32;
  return static_cast<uint32_t>(hash ^ (hash >> 15));
}

void Hashcons::place(Slot slot) {
  size_t at = slot.hash & mask();
  while (slots_[at].node.has_value()) {
    at = (at + 1) & mask();
  }
  slots_[at] = slot;
}

void Hashcons::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 16 : old.size() * 2, Slot{});
  for (const Slot& slot : old) {
    if (slot.node.has_value()) {
      place(slot);
    }
  }
}

void Hashcons::insert(uint32_t hash, NodeId node) {
  if ((size_ + 1) * 4 > slots_.size() * 3) {
    grow();
  }
  place({hash, node});
  ++size_;
}

void Hashcons::erase(uint32_t hash, NodeId node) {
  size_t hole = hash & mask();
  while (slots_[hole].node != node) {
    TACET_CHECK(slots_[hole].node.has_value(), "erasing a node that is not in the table");
    hole = (hole + 1) & mask();
  }
  // Entries behind the hole move up unless that would put them before their home.
  for (size_t at = (hole + 1) & mask(); slots_[at].node.has_value(); at = (at + 1) & mask()) {
    const size_t home = slots_[at].hash & mask();
    if (((at - home) & mask()) >= ((at - hole) & mask())) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole] = {};
  --size_;
}

}  // namespace tacet::egraph
