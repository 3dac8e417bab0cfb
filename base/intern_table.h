#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "base/check.h"
#include "base/hash_index.h"
#include "base/id.h"

namespace tacet {

/// Gives equal values equal ids, for the life of the table. Safe to use from many threads;
/// only a value that is new takes a lock. Values are never removed, and references to them
/// stay good as long as the table.
template <class IdType, class Value, class Hash = std::hash<Value>>
class InternTable {
 public:
  InternTable() : chunks_(new std::atomic<Value*>[kMaxChunks]()) {}
  ~InternTable() {
    for (uint32_t i = 0; i < kMaxChunks && chunks_[i] != nullptr; ++i) {
      delete[] chunks_[i].load();
    }
  }
  InternTable(const InternTable&) = delete;
  auto operator=(const InternTable&) -> InternTable& = delete;

  auto intern(const Value& value) -> IdType {
    const auto hash = static_cast<uint32_t>(Hash{}(value));
    const auto is_value = [&](uint32_t index) { return (*this)[IdType{index}] == value; };
    if (const IdType known{index_.find(hash, is_value)}; known.has_value()) {
      return known;
    }
    const std::lock_guard lock(mutex_);
    if (const IdType known{index_.find(hash, is_value)}; known.has_value()) {
      return known;
    }
    const IdType id = append(value);
    index_.insert(hash, id.index);
    return id;
  }

  [[nodiscard]] auto operator[](IdType id) const -> const Value& {
    TACET_CHECK(id.has_value(), "the value of no id");
    return chunks_[id.index >> kChunkBits].load(std::memory_order_acquire)[id.index & kChunkMask];
  }

  [[nodiscard]] auto size() const -> size_t { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kChunkBits = 10;
  static constexpr uint32_t kChunkMask = (1U << kChunkBits) - 1;
  static constexpr uint32_t kMaxChunks = 1U << 16;

  auto append(const Value& value) -> IdType {
    const uint32_t index = size_.load(std::memory_order_relaxed);
    const uint32_t chunk = index >> kChunkBits;
    TACET_CHECK(chunk < kMaxChunks, "too many distinct values");
    if (chunks_[chunk] == nullptr) {
      chunks_[chunk].store(new Value[kChunkMask + 1], std::memory_order_release);
    }
    chunks_[chunk].load()[index & kChunkMask] = value;
    size_.store(index + 1, std::memory_order_relaxed);
    return IdType{index};
  }

  HashIndex index_;
  /// Guards adding.
  std::mutex mutex_;
  std::unique_ptr<std::atomic<Value*>[]> chunks_;
  std::atomic<uint32_t> size_ = 0;
};

}  // namespace tacet
