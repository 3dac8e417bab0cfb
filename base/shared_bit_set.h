#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tacet {

/// A set of the numbers below a fixed bound, like `BitSet`, that shares with its copies what it has
/// in common with them. For facts about every point of a function that change little from one point
/// to the next: a set takes space only for its new elements, and equal parts are compared by
/// address.
class SharedBitSet {
 public:
  SharedBitSet() = default;
  explicit SharedBitSet(size_t n, bool is_full = false) : chunks_((n + kBits - 1) / kBits) {
    if (!is_full || n == 0) {
      return;
    }
    auto full = std::make_shared<Chunk>();
    full->fill(~uint64_t{0});
    chunks_.assign(chunks_.size(), full);
    for (size_t i = n; i < chunks_.size() * kBits; ++i) {
      erase(i);  // so that sets of equal members are equal
    }
  }

  [[nodiscard]] auto contains(size_t i) const -> bool {
    const std::shared_ptr<Chunk>& chunk = chunks_[i / kBits];
    return chunk != nullptr && ((*chunk)[i % kBits / 64] >> (i % 64) & 1U) != 0;
  }
  void insert(size_t i) {
    if (!contains(i)) {
      own(i / kBits)[i % kBits / 64] |= uint64_t{1} << (i % 64);
    }
  }
  void erase(size_t i) {
    if (contains(i)) {
      own(i / kBits)[i % kBits / 64] &= ~(uint64_t{1} << (i % 64));
    }
  }

  /// Changes this set to the union with `other`, which has the same bound.
  void unite(const SharedBitSet& other) {
    for (size_t i = 0; i < chunks_.size(); ++i) {
      const std::shared_ptr<Chunk>& more = other.chunks_[i];
      if (chunks_[i] == more || more == nullptr) {
        continue;
      }
      if (chunks_[i] == nullptr || is_within(*chunks_[i], *more)) {
        chunks_[i] = more;
      } else if (!is_within(*more, *chunks_[i])) {
        Chunk& changed = own(i);
        for (size_t k = 0; k < kWords; ++k) {
          changed[k] |= (*more)[k];
        }
      }
    }
  }

  friend auto operator==(const SharedBitSet& a, const SharedBitSet& b) -> bool {
    if (a.chunks_.size() != b.chunks_.size()) {
      return false;
    }
    for (size_t i = 0; i < a.chunks_.size(); ++i) {
      const std::shared_ptr<Chunk>& left = a.chunks_[i];
      const std::shared_ptr<Chunk>& right = b.chunks_[i];
      if (left != right &&
          (left != nullptr ? *left : kEmpty) != (right != nullptr ? *right : kEmpty)) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr size_t kWords = 8;
  static constexpr size_t kBits = kWords * 64;
  using Chunk = std::array<uint64_t, kWords>;
  static constexpr Chunk kEmpty = {};

  static auto is_within(const Chunk& a, const Chunk& b) -> bool {
    for (size_t k = 0; k < kWords; ++k) {
      if ((a[k] & ~b[k]) != 0) {
        return false;
      }
    }
    return true;
  }

  /// The chunk, to be changed: nobody else sees it.
  auto own(size_t i) -> Chunk& {
    std::shared_ptr<Chunk>& chunk = chunks_[i];
    if (chunk == nullptr) {
      chunk = std::make_shared<Chunk>();
    } else if (chunk.use_count() > 1) {
      chunk = std::make_shared<Chunk>(*chunk);
    }
    return *chunk;
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;  ///< null for one without members
};

}  // namespace tacet
