#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tacet {

/// A set of the numbers below a fixed bound, of which few are members: emptying it and going
/// through it take time for the members alone (Briggs and Torczon, 1993).
class SparseSet {
 public:
  explicit SparseSet(size_t n) : position_(n) {}

  [[nodiscard]] auto contains(uint32_t i) const -> bool {
    return position_[i] < members_.size() && members_[position_[i]] == i;
  }
  void insert(uint32_t i) {
    if (!contains(i)) {
      position_[i] = static_cast<uint32_t>(members_.size());
      members_.push_back(i);
    }
  }
  void erase(uint32_t i) {
    if (contains(i)) {
      members_[position_[i]] = members_.back();
      position_[members_.back()] = position_[i];
      members_.pop_back();
    }
  }
  void insert_all(std::span<const uint32_t> numbers) {
    for (uint32_t i : numbers) {
      insert(i);
    }
  }
  void clear() { members_.clear(); }

  /// In ascending order.
  [[nodiscard]] auto sorted() const -> std::vector<uint32_t> {
    std::vector<uint32_t> result = members_;
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  std::vector<uint32_t> position_;
  std::vector<uint32_t> members_;
};

}  // namespace tacet
