#include "engine/net/byte_queue.h"

#include <algorithm>
#include <cstring>

namespace tacet::net {

void ByteQueue::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (blocks_.empty() || end_ == kBlockSize) {
      blocks_.push_back(spare_ ? std::move(spare_)
                               : Block(WipingAllocator<std::byte>().allocate(kBlockSize)));
      end_ = 0;
    }
    size_t n = std::min(bytes.size(), kBlockSize - end_);
    std::memcpy(blocks_.back().get() + end_, bytes.data(), n);
    bytes = bytes.subspan(n);
    end_ += n;
    size_ += n;
  }
}

void ByteQueue::take(std::span<std::byte>& into) {
  while (size_ > 0 && !into.empty()) {
    size_t n_there = (blocks_.size() == 1 ? end_ : kBlockSize) - begin_;
    size_t n = std::min(into.size(), n_there);
    std::memcpy(into.data(), blocks_.front().get() + begin_, n);
    into = into.subspan(n);
    begin_ += n;
    size_ -= n;
    if (n == n_there) {
      spare_ = std::move(blocks_.front());
      blocks_.pop_front();
      begin_ = 0;
    }
  }
}

}  // namespace tacet::net
