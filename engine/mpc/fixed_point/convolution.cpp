#include "engine/mpc/fixed_point/convolution.h"

namespace tacet::mpc {

/// Which element of the image stands in which column: a row for each element of a filter, a column
/// for each place.
static auto columns_of(const ConvolutionShape& shape) -> std::vector<uint32_t> {
  std::vector<uint32_t> indices;
  for (size_t c = 0; c < shape.channels; ++c) {
    for (size_t y = 0; y < shape.filter_height; ++y) {
      for (size_t x = 0; x < shape.filter_width; ++x) {
        for (size_t to_y = 0; to_y < shape.out_height(); ++to_y) {
          const size_t row = (c * shape.height + to_y * shape.stride + y) * shape.width + x;
          for (size_t to_x = 0; to_x < shape.out_width(); ++to_x) {
            indices.push_back(static_cast<uint32_t>(row + to_x * shape.stride));
          }
        }
      }
    }
  }
  return indices;
}

auto convolve(Party& party, Share image, Share filters, ConvolutionShape shape, FixedPoint format)
    -> Task<Share> {
  const MatrixShape product{.rows = shape.filters,
                            .inner = shape.channels * shape.filter_height * shape.filter_width,
                            .columns = shape.out_height() * shape.out_width()};
  const Share columns = gather(image, columns_of(shape));
  if (format.fraction_bits == 0) {
    Share sums = co_await party.protocol().multiply_matrices(party, filters, columns, product);
    co_return sums;
  }
  Share sums = co_await party.protocol().multiply_matrices_truncate(
      party, filters, columns, product, format.fraction_bits, format.truncation);
  co_return sums;
}

}  // namespace tacet::mpc
