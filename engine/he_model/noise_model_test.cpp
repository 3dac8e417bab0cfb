#include "engine/he_model/noise_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace tacet::he {
namespace {

TEST(AddLogarithms, IsTheLogarithmOfTheSum) {
  for (double difference = 0; difference < 70; difference += 0.01) {
    const double exact = 3 + std::log2(1 + std::exp2(-difference));
    EXPECT_NEAR(add_logarithms(3, 3 - difference), exact, 2e-9) << difference;
    EXPECT_EQ(add_logarithms(3 - difference, 3), add_logarithms(3, 3 - difference));
  }
}

TEST(AddLogarithms, NothingAddsNothing) {
  const double nothing = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(add_logarithms(7, nothing), 7);
  EXPECT_EQ(add_logarithms(nothing, nothing), nothing);
}

/// How often slots of r s^degree exceed so many deviations, with random keys s.
auto exceeded(size_t degree, double deviations) -> double {
  constexpr size_t kCoefficients = 256;
  constexpr size_t kKeys = 400;
  constexpr size_t kSlots = 16;
  std::mt19937_64 random(degree + 1);
  std::uniform_real_distribution<double> rounding(-0.5, 0.5);
  std::uniform_int_distribution<int> ternary(-1, 1);
  const double size =
      std::sqrt(kCoefficients / 12.0) * std::pow(std::sqrt(kCoefficients * 2.0 / 3), degree);
  size_t n = 0;
  for (size_t key = 0; key < kKeys; ++key) {
    std::vector<double> s(kCoefficients);
    std::generate(s.begin(), s.end(), [&] { return ternary(random); });
    for (size_t slot = 0; slot < kSlots; ++slot) {
      std::complex<double> r_at = 0;
      std::complex<double> s_at = 0;
      for (size_t i = 0; i < kCoefficients; ++i) {
        const double angle =
            std::numbers::pi * static_cast<double>(i * (2 * slot + 1)) / kCoefficients;
        r_at += std::polar(rounding(random), angle);
        s_at += std::polar(1.0, angle) * s[i];
      }
      const std::complex<double> error = r_at * std::pow(s_at, static_cast<int>(degree));
      n += std::abs(error.real()) > deviations * size ? 1 : 0;
    }
  }
  return static_cast<double>(n) / (kKeys * kSlots);
}

TEST(TailFactor, IsOfTheTailsThatSlotsHave) {
  // The laws that the factors are from, where they can be sampled.
  for (const double k : {1.0, 2.0, 3.0}) {
    EXPECT_NEAR(std::log(exceeded(1, k)), -2 * k, 0.5) << k;
  }
  for (const double k : {3.0, 6.0, 10.0}) {
    EXPECT_NEAR(std::log(exceeded(2, k)), -1.5 * std::cbrt(2 * k * k), 0.8) << k;
  }
  constexpr double kMost = 10;
  const double rare = -std::log(0x1p-55);
  EXPECT_NEAR(2 * kMost * tail_factor(1), rare, 0.5);
  const double k = kMost * tail_factor(2);
  EXPECT_NEAR(1.5 * std::cbrt(2 * k * k), rare, 0.5);
}

}  // namespace
}  // namespace tacet::he
