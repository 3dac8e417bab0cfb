#include "engine/mpc/ring_array.h"

#include <bit>
#include <cstring>

#include "base/wipe.h"
#include "engine/ring/aligned.h"

namespace tacet::mpc {

/// The words of one array or of several equal ones.
struct RingArray::Block {
  Memory memory;
  uint64_t* words = nullptr;
  size_t n_words = 0;

  Block(Memory from, size_t n) : memory(std::move(from)), n_words(n) {
    words = memory ? memory->take(n) : ring::AlignedAllocator<uint64_t>().allocate(n);
  }
  Block(const Block&) = delete;
  auto operator=(const Block&) -> Block& = delete;
  ~Block() {
    if (memory) {
      memory->give_back(words, n_words);
    } else {
      wipe(words, n_words * sizeof(uint64_t));
      ring::AlignedAllocator<uint64_t>().deallocate(words, n_words);
    }
  }
};

/// At least `n`: the pool keeps blocks by size, so there should be few sizes. A quarter of a power
/// of two wastes a fifth at most.
static auto size_class(size_t n) -> size_t {
  constexpr size_t kLeast = 8;
  if (n <= kLeast) {
    return kLeast;
  }
  const size_t step = std::bit_floor(n - 1) / 4;
  return (n + step - 1) / step * step;
}

RingArray::RingArray(Ring ring, size_t n, const Memory& memory) : ring_(ring), size_(n) {
  if (n > 0) {
    block_ = std::make_shared<Block>(memory, size_class((n * n_bytes(ring) + 7) / 8));
  }
}

auto RingArray::zeros(Ring ring, size_t n, const Memory& memory) -> RingArray {
  RingArray array(ring, n, memory);
  if (n > 0) {
    std::memset(array.block_->words, 0, array.bytes().size());
  }
  return array;
}

auto RingArray::filled(Ring ring, size_t n, Word128 value, const Memory& memory) -> RingArray {
  RingArray array(ring, n, memory);
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    for (T& word : array.edit<T>()) {
      word = static_cast<T>(value);
    }
  });
  return array;
}

auto RingArray::like(size_t n) const -> RingArray {
  return {ring_, n, memory()};
}

auto RingArray::range(size_t begin, size_t n) const -> RingArray {
  TACET_CHECK(begin <= size_ && n <= size_ - begin, "a range beyond the array");
  RingArray array(*this);
  array.size_ = n;
  array.first_byte_ += begin * n_bytes(ring_);
  return array;
}

auto RingArray::memory() const -> Memory {
  return block_ ? block_->memory : nullptr;
}

auto RingArray::data() const -> const void* {
  return block_ ? reinterpret_cast<const std::byte*>(block_->words) + first_byte_ : nullptr;
}

auto RingArray::edit_data() -> void* {
  if (!block_) {
    return nullptr;
  }
  if (block_.use_count() > 1) {
    auto own = std::make_shared<Block>(block_->memory, size_class((bytes().size() + 7) / 8));
    std::memcpy(own->words, data(), bytes().size());
    block_ = std::move(own);
    first_byte_ = 0;
  }
  return reinterpret_cast<std::byte*>(block_->words) + first_byte_;
}

auto RingArray::at(size_t i) const -> Word128 {
  return with_word(ring_, [&]<class T>(std::type_identity<T>) -> Word128 { return words<T>()[i]; });
}

auto operator==(const RingArray& a, const RingArray& b) -> bool {
  return a.ring_ == b.ring_ && a.size_ == b.size_ &&
         (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.bytes().size()) == 0);
}

}  // namespace tacet::mpc
