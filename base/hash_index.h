#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace tacet {

/// Finds the number of a key: open addressing over (hash, number) pairs, the keys themselves lie
/// elsewhere, under their numbers. Finding takes no lock and may run beside one inserter. Nothing
/// is ever removed.
class HashIndex {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  HashIndex() = default;

  /// The number under `hash` for which `is_key(number)` holds, else `kNone`.
  template <class IsKey>
  auto find(uint32_t hash, const IsKey& is_key) const -> uint32_t {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) {
      return kNone;
    }
    for (uint32_t i = hash & slots->mask;; i = (i + 1) & slots->mask) {
      const uint64_t entry = slots->entries[i].load(std::memory_order_acquire);
      if (entry == 0) {
        return kNone;
      }
      const uint32_t number = static_cast<uint32_t>(entry) - 1;
      if (static_cast<uint32_t>(entry >> 32) == hash && is_key(number)) {
        return number;
      }
    }
  }

  /// Adds a key that is fully built under its number. One caller at a time.
  void insert(uint32_t hash, uint32_t number);

  /// Frees the arrays that were outgrown, which else go with the index. Nobody may be in `find`.
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

}  // namespace tacet
