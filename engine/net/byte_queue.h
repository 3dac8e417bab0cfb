#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>

#include "base/wipe.h"

namespace tacet::net {

/// Secret bytes in order, first in, first out; memory comes and goes in blocks, which are wiped,
/// and of which one is kept.
class ByteQueue {
 public:
  [[nodiscard]] auto empty() const -> bool { return size_ == 0; }
  [[nodiscard]] auto size() const -> size_t { return size_; }

  void append(std::span<const std::byte> bytes);
  /// Moves as much as there is to the front of `into`, which becomes what is still to be filled.
  void take(std::span<std::byte>& into);

 private:
  static constexpr size_t kBlockSize = size_t{256} << 10;
  struct FreeBlock {
    void operator()(std::byte* block) const {
      WipingAllocator<std::byte>().deallocate(block, kBlockSize);
    }
  };
  using Block = std::unique_ptr<std::byte, FreeBlock>;

  std::deque<Block> blocks_;
  Block spare_;
  size_t begin_ = 0;  ///< of what is not taken yet, in the first block
  size_t end_ = 0;    ///< of what was appended, in the last block
  size_t size_ = 0;
};

}  // namespace tacet::net
