#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tacet::bench {

/// Times of one action, in milliseconds.
class Samples {
 public:
  void add(double milliseconds) { times_.push_back(milliseconds); }

  [[nodiscard]] auto empty() const -> bool { return times_.empty(); }

  /// The time that `share` of the samples do not exceed.
  [[nodiscard]] auto percentile(double share) const -> double {
    if (times_.empty()) {
      return 0;
    }
    std::vector<double> sorted = times_;
    std::sort(sorted.begin(), sorted.end());
    const auto at = static_cast<size_t>(share * static_cast<double>(sorted.size()));
    return sorted[std::min(at, sorted.size() - 1)];
  }

 private:
  std::vector<double> times_;
};

}  // namespace tacet::bench
