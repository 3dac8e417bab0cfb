#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "engine/ring/row_pool.h"

namespace tacet::mpc {

__extension__ using Word128 = unsigned __int128;

/// The integers modulo a power of two that words stand for.
enum class Ring : uint8_t { Z32, Z64, Z128 };

constexpr auto n_bits(Ring ring) -> unsigned {
  return 32U << static_cast<unsigned>(ring);
}
constexpr auto n_bytes(Ring ring) -> size_t {
  return n_bits(ring) / 8;
}
template <class T>
constexpr auto ring_of() -> Ring {
  static_assert(std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t> ||
                std::is_same_v<T, Word128>);
  return sizeof(T) == 4 ? Ring::Z32 : sizeof(T) == 8 ? Ring::Z64 : Ring::Z128;
}

/// Calls `body` with `std::type_identity<T>{}`, where T is the word of `ring`.
template <class Body>
auto with_word(Ring ring, Body&& body) {
  switch (ring) {
    case Ring::Z32:
      return body(std::type_identity<uint32_t>{});
    case Ring::Z64:
      return body(std::type_identity<uint64_t>{});
    case Ring::Z128:
      break;
  }
  return body(std::type_identity<Word128>{});
}

/// Where arrays come from and go back to; null: the heap.
using Memory = std::shared_ptr<ring::RowPool>;

/// `size()` words of a ring. Copies and ranges share the words until one of them is edited, so that
/// passing an array by value costs nothing. Arrays hold shares: what one held is wiped when
/// it is freed, or, if it came from a pool, when the pool of a party goes.
class RingArray {
 public:
  RingArray() = default;
  /// Of any content.
  RingArray(Ring ring, size_t n, const Memory& memory = nullptr);

  static auto zeros(Ring ring, size_t n, const Memory& memory = nullptr) -> RingArray;
  /// `n` times `value` modulo the ring.
  static auto filled(Ring ring, size_t n, Word128 value, const Memory& memory = nullptr)
      -> RingArray;
  template <class T>
  static auto of(std::span<const T> words, const Memory& memory = nullptr) -> RingArray;
  template <class T>
  static auto of(const std::vector<T>& words, const Memory& memory = nullptr) -> RingArray {
    return of(std::span<const T>(words), memory);
  }
  /// Of any content, with the ring and memory of this one.
  [[nodiscard]] auto like() const -> RingArray { return like(size_); }
  [[nodiscard]] auto like(size_t n) const -> RingArray;
  /// `n` words from `begin` on, shared with this array.
  [[nodiscard]] auto range(size_t begin, size_t n) const -> RingArray;

  [[nodiscard]] auto ring() const -> Ring { return ring_; }
  [[nodiscard]] auto size() const -> size_t { return size_; }
  [[nodiscard]] auto memory() const -> Memory;

  /// The words, to read. `T` is the ring's word.
  template <class T>
  [[nodiscard]] auto words() const -> std::span<const T> {
    TACET_CHECK(ring_of<T>() == ring_, "words of another ring");
    return {static_cast<const T*>(data()), size_};
  }
  /// The words, to write. Copies them first if another array shares them.
  template <class T>
  [[nodiscard]] auto edit() -> std::span<T> {
    TACET_CHECK(ring_of<T>() == ring_, "words of another ring");
    return {static_cast<T*>(edit_data()), size_};
  }
  [[nodiscard]] auto bytes() const -> std::span<const std::byte> {
    return {static_cast<const std::byte*>(data()), size_ * n_bytes(ring_)};
  }
  [[nodiscard]] auto edit_bytes() -> std::span<std::byte> {
    return {static_cast<std::byte*>(edit_data()), size_ * n_bytes(ring_)};
  }
  /// A word, zero-extended. Slow.
  [[nodiscard]] auto at(size_t i) const -> Word128;

  /// Equal ring, size and words.
  friend auto operator==(const RingArray& a, const RingArray& b) -> bool;

 private:
  struct Block;
  [[nodiscard]] auto data() const -> const void*;
  auto edit_data() -> void*;

  Ring ring_ = Ring::Z64;
  size_t size_ = 0;
  size_t first_byte_ = 0;  ///< in the block
  std::shared_ptr<Block> block_;
};

template <class T>
auto RingArray::of(std::span<const T> words, const Memory& memory) -> RingArray {
  RingArray array(ring_of<T>(), words.size(), memory);
  std::span<T> out = array.edit<T>();
  for (size_t i = 0; i < words.size(); ++i) {
    out[i] = words[i];
  }
  return array;
}

}  // namespace tacet::mpc
