#include "engine/mpc/movement/partition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tacet::mpc {

/// Ranges of so many elements are put in order by all their pairs.
static constexpr size_t kAllPairs = 7;

/// How many elements of a range are put in order to split the others: 2^j - 1, and no more than
/// have as many pairs as the range has elements.
static auto sample_size(size_t n) -> size_t {
  const auto root = static_cast<size_t>(std::sqrt(2.0 * static_cast<double>(n)));
  return std::bit_floor(root + 1) - 1;
}

Partition::Partition(size_t n, size_t first_wanted) : order_(n), first_wanted_(first_wanted) {
  std::iota(order_.begin(), order_.end(), 0U);
  keep({.begin = 0, .end = n, .pivots = {}});
  ranges_ = std::move(next_);
}

void Partition::keep(Range range) {
  const bool is_open = range.end - range.begin > 1 && range.pivots.size() < range.end - range.begin;
  if (is_open && range.end > first_wanted_) {
    next_.push_back(std::move(range));
  } else {
    std::copy(range.pivots.begin(), range.pivots.end(),
              order_.begin() + static_cast<std::ptrdiff_t>(range.begin));
  }
}

void Partition::ask_all_pairs(size_t begin, size_t count, std::vector<Pair>& pairs) const {
  for (size_t i = begin; i < begin + count; ++i) {
    for (size_t j = begin; j < i; ++j) {
      pairs.emplace_back(order_[i], order_[j]);
    }
  }
}

auto Partition::questions() -> std::vector<Pair> {
  std::vector<Pair> pairs;
  for (const Range& range : ranges_) {
    const size_t n = range.end - range.begin;
    if (range.pivots.empty()) {
      ask_all_pairs(range.begin, n <= kAllPairs ? n : sample_size(n), pairs);
      continue;
    }
    const uint32_t pivot = range.pivots[range.pivots.size() / 2];
    for (size_t i = range.begin + range.pivots.size(); i < range.end; ++i) {
      pairs.emplace_back(order_[i], pivot);
    }
  }
  return pairs;
}

/// The elements at `count` places in order, from the answers for all their pairs.
auto Partition::ranked(size_t begin, size_t count, size_t& at,
                       const std::vector<bool>& is_less) const -> std::vector<uint32_t> {
  std::vector<size_t> ranks(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < i; ++j) {
      ++ranks[is_less[at++] ? j : i];
    }
  }
  std::vector<uint32_t> result(count);
  for (size_t i = 0; i < count; ++i) {
    result[ranks[i]] = order_[begin + i];
  }
  return result;
}

/// In place: pivots and others that are less, the pivot, pivots and others that are greater.
void Partition::split(const Range& range, size_t& at, const std::vector<bool>& is_less) {
  const size_t n_pivots = range.pivots.size();
  const auto middle = static_cast<std::ptrdiff_t>(n_pivots / 2);
  Range low{.begin = range.begin, .end = 0, .pivots = {}};
  Range high{.begin = 0, .end = range.end, .pivots = {}};
  low.pivots.assign(range.pivots.begin(), range.pivots.begin() + middle);
  high.pivots.assign(range.pivots.begin() + middle + 1, range.pivots.end());
  std::vector<uint32_t> less = low.pivots;
  std::vector<uint32_t> greater = high.pivots;
  for (size_t i = range.begin + n_pivots; i < range.end; ++i) {
    (is_less[at++] ? less : greater).push_back(order_[i]);
  }
  auto place = std::copy(less.begin(), less.end(),
                         order_.begin() + static_cast<std::ptrdiff_t>(range.begin));
  *place = range.pivots[n_pivots / 2];
  std::copy(greater.begin(), greater.end(), place + 1);
  low.end = range.begin + less.size();
  high.begin = low.end + 1;
  keep(std::move(low));
  keep(std::move(high));
}

void Partition::answer(const std::vector<bool>& is_less) {
  size_t at = 0;
  for (Range& range : ranges_) {
    const size_t n = range.end - range.begin;
    if (!range.pivots.empty()) {
      split(range, at, is_less);
      continue;
    }
    const size_t count = n <= kAllPairs ? n : sample_size(n);
    range.pivots = ranked(range.begin, count, at, is_less);
    // Pivots stand first.
    std::copy(range.pivots.begin(), range.pivots.end(),
              order_.begin() + static_cast<std::ptrdiff_t>(range.begin));
    keep(std::move(range));
  }
  ranges_ = std::move(next_);
  next_.clear();
}

}  // namespace tacet::mpc
