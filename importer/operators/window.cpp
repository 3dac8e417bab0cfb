#include "importer/operators/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::importer {

namespace {

/// Pads so that the result has an element for each stride, as `SAME_UPPER` and `SAME_LOWER` ask.
void pad_to_same(Direction& direction, bool is_upper) {
  const int64_t n = (direction.extent + direction.stride - 1) / direction.stride;
  const int64_t reach = (direction.kernel - 1) * direction.dilation + 1;
  const int64_t pads = std::max<int64_t>((n - 1) * direction.stride + reach - direction.extent, 0);
  direction.pad_begin = is_upper ? pads / 2 : pads - pads / 2;
  direction.pad_end = pads - direction.pad_begin;
}

auto count_places(const Node& node, Direction& direction) -> Status {
  constexpr int64_t kLimit = int64_t{1} << 24;
  for (const int64_t number : {direction.kernel, direction.stride, direction.dilation}) {
    if (number < 1 || number > kLimit) {
      return error_at(node, "kernels, strides and dilations have to be at least 1");
    }
  }
  if (direction.pad_begin < 0 || direction.pad_end < 0 || direction.pad_begin > kLimit ||
      direction.pad_end > kLimit) {
    return error_at(node, "negative pads are not supported");
  }
  const int64_t reach = (direction.kernel - 1) * direction.dilation + 1;
  const int64_t room = direction.extent + direction.pad_begin + direction.pad_end - reach;
  if (room < 0) {
    return error_at(node, fmt::format("a window of {} is larger than the image, which has {}",
                                      reach, direction.extent));
  }
  const bool rounds_up = integer_of(node, "ceil_mode", 0) != 0;
  direction.n_places = (room + (rounds_up ? direction.stride - 1 : 0)) / direction.stride + 1;
  // A window that starts in the padding behind the image has no element of it.
  if (rounds_up &&
      (direction.n_places - 1) * direction.stride >= direction.extent + direction.pad_begin) {
    --direction.n_places;
  }
  return std::monostate{};
}

}  // namespace

auto window_of(const Node& node, const Shape& shape, const std::vector<int64_t>& kernel)
    -> Result<Window> {
  const size_t n = shape.size() < 2 ? 0 : shape.size() - 2;
  if (n < 1 || n > 2 || kernel.size() != n) {
    return error_at(node, fmt::format("of shape {}: only signals and images, of three and four "
                                      "dimensions, are supported",
                                      shape_text(shape)));
  }
  const std::vector<int64_t> strides = integers_of(node, "strides", std::vector<int64_t>(n, 1));
  const std::vector<int64_t> dilations = integers_of(node, "dilations", std::vector<int64_t>(n, 1));
  const std::vector<int64_t> pads = integers_of(node, "pads", std::vector<int64_t>(2 * n, 0));
  const std::string automatic = text_of(node, "auto_pad", "NOTSET");
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n) {
    return error_at(node, "strides, dilations or pads have another number of directions");
  }
  Window window;
  window.is_signal = n == 1;
  for (size_t d = 0; d < n; ++d) {
    Direction& direction = window.directions[2 - n + d];
    direction.extent = shape[2 + d];
    direction.kernel = kernel[d];
    direction.stride = strides[d];
    direction.dilation = dilations[d];
    direction.pad_begin = automatic == "NOTSET" ? pads[d] : 0;
    direction.pad_end = automatic == "NOTSET" ? pads[n + d] : 0;
    if (automatic.starts_with("SAME") && direction.stride >= 1) {
      pad_to_same(direction, automatic == "SAME_UPPER");
    }
    if (Status counted = count_places(node, direction); !counted) {
      return counted.error();
    }
  }
  return window;
}

auto window_index(const Direction& direction, const std::string& place, const std::string& k)
    -> std::string {
  std::string text;
  if (!place.empty()) {
    text = direction.stride == 1 ? place : fmt::format("{} * {}", direction.stride, place);
  }
  if (!k.empty()) {
    text += text.empty() ? "" : " + ";
    text += direction.dilation == 1 ? k : fmt::format("{} * {}", direction.dilation, k);
  }
  if (direction.pad_begin > 0) {
    text += text.empty() ? "-" : " - ";
    text += std::to_string(direction.pad_begin);
  }
  return text.empty() ? "0" : text;
}

}  // namespace tacet::importer
