#include "base/hash_index.h"

namespace tacet {

void HashIndex::insert(uint32_t hash, uint32_t number) {
  const uint64_t capacity = arrays_.empty() ? 0 : uint64_t{arrays_.back()->mask} + 1;
  if (3 * (uint64_t{size_} + 1) > 2 * capacity) {
    grow();
  }
  place(*arrays_.back(), uint64_t{hash} << 32 | (uint64_t{number} + 1));
  ++size_;
}

void HashIndex::place(const Slots& slots, uint64_t entry) {
  uint32_t i = static_cast<uint32_t>(entry >> 32) & slots.mask;
  while (slots.entries[i].load(std::memory_order_relaxed) != 0) {
    i = (i + 1) & slots.mask;
  }
  slots.entries[i].store(entry, std::memory_order_release);
}

void HashIndex::grow() {
  const uint32_t size = arrays_.empty() ? 16 : 2 * (arrays_.back()->mask + 1);
  auto bigger = std::make_unique<const Slots>(size);
  if (!arrays_.empty()) {
    const Slots& old = *arrays_.back();
    for (uint32_t i = 0; i <= old.mask; ++i) {
      const uint64_t entry = old.entries[i].load(std::memory_order_relaxed);
      if (entry != 0) {
        place(*bigger, entry);
      }
    }
  }
  slots_.store(bigger.get(), std::memory_order_release);
  arrays_.push_back(std::move(bigger));
}

void HashIndex::free_outgrown() {
  if (arrays_.size() > 1) {
    arrays_.erase(arrays_.begin(), arrays_.end() - 1);
  }
}

}  // namespace tacet
