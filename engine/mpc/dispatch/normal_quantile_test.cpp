#include "engine/mpc/dispatch/normal_quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacet::mpc {
namespace {

/// How likely a normal number is to be above `x`.
auto above(double x) -> double {
  return 0.5 * std::erfc(x / std::sqrt(2.0));
}

TEST(NormalQuantile, IsTheQuantileOfItsBits) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    // All regions, out to the last numbers.
    const uint64_t bits = random() >> (i % 64);
    const double p = (static_cast<double>(bits >> 1) + 0.5) * 0x1p-64;
    const double magnitude = std::abs(normal_of_bits(bits));
    // The tail changes with the density: d p / d x = -density.
    const double density = std::exp(-0.5 * magnitude * magnitude) / std::sqrt(2 * M_PI);
    EXPECT_NEAR(above(magnitude), p, 4e-15 * p + 2e-15 * density * (1 + magnitude)) << bits;
    EXPECT_EQ(std::signbit(normal_of_bits(bits)), (bits & 1) != 0);
  }
  EXPECT_LT(normal_of_bits(0), 9.2);
  EXPECT_GT(normal_of_bits(0), 9.1);
}

/// From tables of the normal distribution.
TEST(NormalQuantile, HasKnownValues) {
  const auto at = [](double p) { return normal_of_bits(static_cast<uint64_t>(p * 0x1p64) << 1); };
  EXPECT_NEAR(at(0.25), 0.6744897501960817, 1e-15);
  EXPECT_NEAR(at(0.025), 1.959963984540054, 4e-15);
  EXPECT_NEAR(at(1e-10), 6.361340902404056, 1e-7);  // of a p that is rounded to 2^-64
}

}  // namespace
}  // namespace tacet::mpc
