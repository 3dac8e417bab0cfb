#pragma once

#include <cstdint>
#include <utility>
#include <vector>

/// Private to this folder: which elements are compared to put them in order. What comparisons say
/// is public; so is all of this.
namespace tacet::mpc {

/// Puts n elements in order, of which every question is whether one is less than another. All
/// questions of a level are asked at once.
class Partition {
 public:
  using Pair = std::pair<uint32_t, uint32_t>;

  /// Only what stands at places from `first_wanted` on in the end needs its place.
  Partition(size_t n, size_t first_wanted);

  /// Which elements to compare next: is the first less than the second? None if all is in order.
  [[nodiscard]] auto questions() -> std::vector<Pair>;
  /// The answers to all of them, in order.
  void answer(const std::vector<bool>& is_less);
  /// The elements, the least first.
  [[nodiscard]] auto order() const -> const std::vector<uint32_t>& { return order_; }

 private:
  /// Places that hold elements whose order is not known; all in front are less and all behind
  /// greater.
  struct Range {
    size_t begin = 0;
    size_t end = 0;
    /// Elements of the range in order.
    std::vector<uint32_t> pivots;
  };

  void ask_all_pairs(size_t begin, size_t count, std::vector<Pair>& pairs) const;
  auto ranked(size_t begin, size_t count, size_t& at, const std::vector<bool>& is_less) const
      -> std::vector<uint32_t>;
  void split(const Range& range, size_t& at, const std::vector<bool>& is_less);
  void keep(Range range);

  std::vector<uint32_t> order_;
  size_t first_wanted_;
  std::vector<Range> ranges_;
  std::vector<Range> next_;
};

}  // namespace tacet::mpc
