#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacet::importer {

using Shape = std::vector<int64_t>;

/// What the elements of a tensor are, whatever their width.
enum class Elements : uint8_t { Real, Integer, Boolean };

/// Numbers that are known when importing, row by row. Integers up to 2^53 are exact.
struct Tensor {
  Shape shape;
  Elements elements = Elements::Real;
  std::vector<double> values;
};

/// A tensor has no more elements than this.
inline constexpr int64_t kMostElements = int64_t{1} << 26;

/// The number of elements. An error for negative sizes, none, or too many.
auto element_count(const Shape& shape) -> Result<int64_t>;

/// `[2, 3]`
auto shape_text(const Shape& shape) -> std::string;

/// A tensor of zeros, or the error above.
auto zeros(Shape shape, Elements elements = Elements::Real) -> Result<Tensor>;

/// The integer nearest to an element, within 64 bits.
auto as_integer(double value) -> int64_t;

/// All elements as integers.
auto as_integers(const Tensor& tensor) -> std::vector<int64_t>;

/// How many elements further the next one along each dimension is.
auto strides_of(const Shape& shape) -> Shape;

/// Goes through the places of a shape, row by row, and where they are in tensors with other
/// strides.
class Places {
 public:
  explicit Places(const Shape& shape) : shape_(shape), indices_(shape.size(), 0) {}

  [[nodiscard]] auto indices() const -> const Shape& { return indices_; }
  [[nodiscard]] auto offset(const Shape& strides) const -> size_t;
  void advance();

 private:
  Shape shape_;
  Shape indices_;
};

}  // namespace tacet::importer
