#pragma once

#include <array>

#include "importer/operators/operator.h"

namespace tacet::importer {

/// How a window moves over one direction of an image.
struct Direction {
  int64_t extent = 1;  ///< of the image
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;
  int64_t n_places = 1;  ///< of the result

  /// Where in the image element `k` of the window at `place` is; may be outside.
  [[nodiscard]] auto at(int64_t place, int64_t k) const -> int64_t {
    return place * stride + k * dilation - pad_begin;
  }
  /// How far the last window reaches beyond the image.
  [[nodiscard]] auto beyond() const -> int64_t { return at(n_places - 1, kernel - 1) + 1 - extent; }
};

/// Both directions of an image; the first one of a signal has the extent 1.
struct Window {
  std::array<Direction, 2> directions;
  bool is_signal = false;  ///< of one direction
};

/// The window of a convolution or pool over a tensor `[batch, channels, …]`. `kernel` has its
/// sizes.
auto window_of(const Node& node, const Shape& shape, const std::vector<int64_t>& kernel)
    -> Result<Window>;

/// `2 * i + k - 1`: the index of an element of the window, by the names of counters, which are
/// empty for extents of 1.
auto window_index(const Direction& direction, const std::string& place, const std::string& k)
    -> std::string;

}  // namespace tacet::importer
