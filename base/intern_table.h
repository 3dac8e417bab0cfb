#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/id.h"

namespace tacet {

/// Gives equal values equal ids, for the life of the table. Safe to use from many threads;
/// reading a value by its id takes no lock. Values are never removed, and references to them
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
    const size_t hash = Hash{}(value);
    Shard& shard = shards_[hash_combine(1, hash) % kShards];
    {
      const std::shared_lock lock(shard.mutex);
      if (auto found = shard.ids.find(Key{&value, hash}); found != shard.ids.end()) {
        return found->second;
      }
    }
    const std::unique_lock lock(shard.mutex);
    if (auto found = shard.ids.find(Key{&value, hash}); found != shard.ids.end()) {
      return found->second;
    }
    auto [id, stored] = append(value);
    shard.ids.emplace(Key{stored, hash}, id);
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
  static constexpr size_t kShards = 16;

  struct Key {
    const Value* value;
    size_t hash;
    friend auto operator==(const Key& a, const Key& b) -> bool {
      return a.hash == b.hash && *a.value == *b.value;
    }
  };
  struct KeyHash {
    auto operator()(const Key& key) const -> size_t { return key.hash; }
  };
  struct Shard {
    std::shared_mutex mutex;
    std::unordered_map<Key, IdType, KeyHash> ids;
  };

  auto append(const Value& value) -> std::pair<IdType, const Value*> {
    const std::lock_guard lock(append_mutex_);
    const uint32_t index = size_.load(std::memory_order_relaxed);
    const uint32_t chunk = index >> kChunkBits;
    TACET_CHECK(chunk < kMaxChunks, "too many distinct values");
    if (chunks_[chunk] == nullptr) {
      chunks_[chunk].store(new Value[kChunkMask + 1], std::memory_order_release);
    }
    Value& slot = chunks_[chunk].load()[index & kChunkMask];
    slot = value;
    size_.store(index + 1, std::memory_order_relaxed);
    return {IdType{index}, &slot};
  }

  std::array<Shard, kShards> shards_;
  std::mutex append_mutex_;
  std::unique_ptr<std::atomic<Value*>[]> chunks_;
  std::atomic<uint32_t> size_ = 0;
};

}  // namespace tacet
