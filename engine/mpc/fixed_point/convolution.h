#pragma once

#include "engine/mpc/fixed_point/functions.h"

namespace tacet::mpc {

/// Sizes of a convolution in two dimensions, without padding: images by channels, filters by
/// channels, all by rows.
struct ConvolutionShape {
  size_t channels = 1;
  size_t height = 0;
  size_t width = 0;
  size_t filters = 1;
  size_t filter_height = 0;
  size_t filter_width = 0;
  size_t stride = 1;

  [[nodiscard]] auto out_height() const -> size_t { return (height - filter_height) / stride + 1; }
  [[nodiscard]] auto out_width() const -> size_t { return (width - filter_width) / stride + 1; }
};

/// For each filter and place the sum of products of the filter with what is below it: filters ×
/// out_height × out_width numbers. One product of matrices, and one truncation of each sum if
/// `fraction_bits` is not 0.
auto convolve(Party& party, Share image, Share filters, ConvolutionShape shape, FixedPoint format)
    -> Task<Share>;

}  // namespace tacet::mpc
