#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "compiler/core/query/revision.h"

namespace tacet::query {

/// What a memo read, in the order of the first reads; of flat queries, once that is worth it, what
/// `Engine::flattened` found below. Up to four ids lie in the object, more in one exactly sized
/// block.
class DependencyList {
 public:
  DependencyList() : inline_{} {}
  ~DependencyList() { release(); }
  DependencyList(const DependencyList&) = delete;
  auto operator=(const DependencyList&) -> DependencyList& = delete;

  [[nodiscard]] auto ids() const -> std::span<const NodeId> {
    return {size_ <= kInline ? inline_ : block_, size_};
  }

  /// True: these are not what the memo read, but what `Engine::flattened` made of it.
  [[nodiscard]] auto is_flattened() const -> bool { return is_flattened_; }

  void assign(std::span<const NodeId> ids, bool is_flattened = false) {
    is_flattened_ = is_flattened;
    const auto size = static_cast<uint32_t>(ids.size());
    if (size != size_) {
      release();
      size_ = size;
      if (size > kInline) {
        block_ = new NodeId[size];
      }
    }
    std::copy(ids.begin(), ids.end(), size <= kInline ? inline_ : block_);
  }

 private:
  static constexpr uint32_t kInline = 4;

  void release() {
    if (size_ > kInline) {
      delete[] block_;
    }
    size_ = 0;
  }

  uint32_t size_ = 0;
  bool is_flattened_ = false;
  union {
    NodeId inline_[kInline];
    NodeId* block_;
  };
};

}  // namespace tacet::query
