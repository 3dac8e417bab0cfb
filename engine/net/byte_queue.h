#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>

namespace tacet::net {

/// Bytes in order, first in, first out; memory comes and goes in blocks, of which one is kept.
class ByteQueue {
 public:
  [[nodiscard]] auto empty() const -> bool { return size_ == 0; }
  [[nodiscard]] auto size() const -> size_t { return size_; }

  void append(std::span<const std::byte> bytes);
  /// Moves as much as there is to the front of `into`, which becomes what is still to be filled.
  void take(std::span<std::byte>& into);

 private:
  static constexpr size_t kBlockSize = size_t{256} << 10;
  using Block = std::unique_ptr<std::byte[]>;

  std::deque<Block> blocks_;
  Block spare_;
  size_t begin_ = 0;  ///< of what is not taken yet, in the first block
  size_t end_ = 0;    ///< of what was appended, in the last block
  size_t size_ = 0;
};

}  // namespace tacet::net
