#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet {

/// A set of the numbers below a fixed bound, one bit each. Sets that are combined have equal
/// bounds.
class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(size_t n, bool is_full = false) : n_(n), words_((n + 63) / 64) {
    if (is_full) {
      for (size_t i = 0; i < n; ++i) {
        insert(i);
      }
    }
  }

  [[nodiscard]] auto size() const -> size_t { return n_; }
  [[nodiscard]] auto contains(size_t i) const -> bool { return (words_[i / 64] >> (i % 64)) & 1U; }
  void insert(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void erase(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }

  /// These change this set to the union, intersection or difference with `other`.
  void unite(const BitSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
    }
  }
  void intersect(const BitSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) {
      words_[i] &= other.words_[i];
    }
  }
  void subtract(const BitSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) {
      words_[i] &= ~other.words_[i];
    }
  }

  /// Calls `body` for every member, in ascending order.
  template <class Body>
  void for_each(Body body) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        body(i * 64 + static_cast<size_t>(__builtin_ctzll(word)));
      }
    }
  }

  friend auto operator==(const BitSet&, const BitSet&) -> bool = default;

 private:
  size_t n_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace tacet
