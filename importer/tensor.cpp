#include "importer/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tacet::importer {

auto element_count(const Shape& shape) -> Result<int64_t> {
  int64_t n = 1;
  for (const int64_t extent : shape) {
    if (extent <= 0) {
      return Error{fmt::format("the shape {} has no elements", shape_text(shape))};
    }
    if (extent > kMostElements / n) {
      return Error{
          fmt::format("the shape {} has more than {} elements", shape_text(shape), kMostElements)};
    }
    n *= extent;
  }
  return n;
}

auto shape_text(const Shape& shape) -> std::string {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

auto zeros(Shape shape, Elements elements) -> Result<Tensor> {
  Result<int64_t> n = element_count(shape);
  if (!n) {
    return n.error();
  }
  return Tensor{std::move(shape), elements, std::vector<double>(static_cast<size_t>(*n), 0.0)};
}

auto as_integer(double value) -> int64_t {
  constexpr double kLimit = 9223372036854775808.0;
  if (std::isnan(value)) {
    return 0;
  }
  return value >= kLimit    ? INT64_MAX
         : value <= -kLimit ? INT64_MIN
                            : static_cast<int64_t>(std::llround(value));
}

auto as_integers(const Tensor& tensor) -> std::vector<int64_t> {
  std::vector<int64_t> integers;
  integers.reserve(tensor.values.size());
  for (const double value : tensor.values) {
    integers.push_back(as_integer(value));
  }
  return integers;
}

auto strides_of(const Shape& shape) -> Shape {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

auto Places::offset(const Shape& strides) const -> size_t {
  int64_t offset = 0;
  for (size_t i = 0; i < indices_.size(); ++i) {
    offset += indices_[i] * strides[i];
  }
  return static_cast<size_t>(offset);
}

void Places::advance() {
  for (size_t i = shape_.size(); i-- > 0;) {
    if (++indices_[i] < shape_[i]) {
      return;
    }
    indices_[i] = 0;
  }
}

}  // namespace tacet::importer
