#include "engine/mpc/fixed_point/convolution.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/mpc/testing/run_parties.h"

namespace tacet::mpc {
namespace {

using Words = std::vector<uint64_t>;

auto small_words(size_t n, uint64_t seed) -> Words {
  std::mt19937_64 random(seed);
  Words words(n);
  for (uint64_t& word : words) {
    word = random() % 4000 - 2000;
  }
  return words;
}

/// As it is defined.
auto sums_of(const Words& image, const Words& filters, const ConvolutionShape& shape) -> Words {
  Words sums;
  for (size_t k = 0; k < shape.filters; ++k) {
    for (size_t to_y = 0; to_y < shape.out_height(); ++to_y) {
      for (size_t to_x = 0; to_x < shape.out_width(); ++to_x) {
        uint64_t sum = 0;
        for (size_t c = 0; c < shape.channels; ++c) {
          for (size_t y = 0; y < shape.filter_height; ++y) {
            for (size_t x = 0; x < shape.filter_width; ++x) {
              const size_t at = (c * shape.height + to_y * shape.stride + y) * shape.width +
                                to_x * shape.stride + x;
              const size_t of_filter =
                  ((k * shape.channels + c) * shape.filter_height + y) * shape.filter_width + x;
              sum += image[at] * filters[of_filter];
            }
          }
        }
        sums.push_back(sum);
      }
    }
  }
  return sums;
}

auto convolved(const TestRun& run, const Words& image, const Words& filters,
               const ConvolutionShape& shape, unsigned fraction_bits) -> RingArray {
  return run_parties(run, [&](Party& party) -> Task<RingArray> {
    const Share x = party.protocol().public_share(party, RingArray::of(image));
    const Share y = party.protocol().public_share(party, RingArray::of(filters));
    const FixedPoint format{.fraction_bits = fraction_bits};
    Share sums = co_await convolve(party, x, y, shape, format);
    RingArray opened = co_await open(party, sums);
    co_return opened;
  })[0];
}

TEST(Convolution, IsTheSumOfProductsTruncatedOnce) {
  const ConvolutionShape shapes[] = {
      {.height = 5, .width = 4, .filter_height = 2, .filter_width = 3},
      {.channels = 3,
       .height = 7,
       .width = 9,
       .filters = 4,
       .filter_height = 3,
       .filter_width = 3,
       .stride = 2},
      {.channels = 2,
       .height = 1,
       .width = 1,
       .filters = 2,
       .filter_height = 1,
       .filter_width = 1}};
  for (const ConvolutionShape& shape : shapes) {
    const Words image = small_words(shape.channels * shape.height * shape.width, 1);
    const Words filters =
        small_words(shape.filters * shape.channels * shape.filter_height * shape.filter_width, 2);
    const Words sums = sums_of(image, filters, shape);
    const TestRun clear{.n_parties = 1, .protocol = "ref"};
    const TestRun replicated{.n_parties = 3, .protocol = "aby3"};
    EXPECT_EQ(convolved(clear, image, filters, shape, 0), RingArray::of(sums));
    EXPECT_EQ(convolved(replicated, image, filters, shape, 0), RingArray::of(sums));
    const RingArray truncated = convolved(replicated, image, filters, shape, 8);
    for (size_t i = 0; i < sums.size(); ++i) {
      const auto word = static_cast<int64_t>(static_cast<uint64_t>(truncated.at(i)));
      const auto wanted = static_cast<double>(static_cast<int64_t>(sums[i])) / 256;
      EXPECT_LE(std::abs(static_cast<double>(word) - wanted), 1);
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
