#include "engine/he_model/noise_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace tacet::he
