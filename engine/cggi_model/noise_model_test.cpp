#include "engine/cggi_model/noise_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacet::cggi {
namespace {

/// A set that others published, with the failure probability that they state for it. Their key
/// switches compute modulo 2^64.
struct PublishedSet {
  const char* name;
  unsigned lwe_dimension;
  unsigned glwe_dimension;
  unsigned polynomial_size;
  Decomposition rotation;
  Decomposition key_switch;
  double weight;
  double cases;  ///< with one bit of padding; the bound is half a case
  double log2_failure;
};

constexpr PublishedSet kPublished[] = {
    {"1_0", 747, 6, 256, {17, 1}, {4, 3}, 1, 2, -128.603},
    {"1_1", 837, 4, 512, {23, 1}, {5, 3}, 3, 4, -128.186},
    {"1_2", 885, 2, 1024, {23, 1}, {5, 3}, 7, 8, -128.536},
    {"1_3", 904, 1, 2048, {23, 1}, {3, 6}, 15, 16, -128.103},
    {"2_0", 846, 3, 512, {17, 1}, {5, 3}, 1, 4, -128.285},
    {"2_1", 884, 2, 1024, {23, 1}, {5, 3}, 2, 8, -128.607},
    {"2_2", 866, 1, 2048, {23, 1}, {3, 5}, 5, 16, -128.597},
    {"2_3", 930, 1, 4096, {15, 2}, {3, 6}, 10, 32, -128.639},
    {"3_0", 884, 2, 1024, {23, 1}, {5, 3}, 1, 8, -128.664},
    {"3_1", 863, 1, 2048, {23, 1}, {3, 5}, 2, 16, -128.389},
    {"3_2", 928, 1, 4096, {23, 1}, {2, 9}, 4, 32, -128.041},
    {"3_3", 1006, 1, 8192, {15, 2}, {3, 7}, 9, 64, -128.115},
};

TEST(NoiseModel, AgreesWithPublishedSets) {
  for (const PublishedSet& set : kPublished) {
    Parameters p{.lwe_dimension = set.lwe_dimension,
                 .glwe_dimension = set.glwe_dimension,
                 .polynomial_size = set.polynomial_size,
                 .rotation = set.rotation,
                 .key_switch = set.key_switch};
    p.lwe_variance = least_variance(Security::Bits128, p.lwe_dimension, 64);
    p.glwe_variance = least_variance(Security::Bits128, p.extracted_dimension(), 64);
    const double variance = set.weight * set.weight * rotation_variance(p) +
                            key_switch_variance(p, 64) + modulus_switch_variance(p);
    EXPECT_NEAR(log2_exceeds(variance, 1 / (4 * set.cases)), set.log2_failure, 0.1) << set.name;
  }
}

TEST(NoiseModel, ExpandsTheErrorFunction) {
  EXPECT_EQ(log2_erfc(0), 0);
  for (double x = 5; x < 9; x += 0.25) {
    EXPECT_NEAR(log2_erfc(x), std::log2(std::erfc(x)), 2e-4) << x;
  }
  EXPECT_NEAR(log2_erfc(30), -1304.159, 0.001);  // beyond the range of doubles
}

TEST(NoiseModel, AddsUpProbabilities) {
  Parameters p{.lwe_dimension = 718,
               .glwe_dimension = 6,
               .polynomial_size = 256,
               .rotation = {17, 1},
               .key_switch = {3, 4}};
  p.lwe_variance = least_variance(Security::Bits128, p.lwe_dimension, kLog2SwitchedModulus);
  p.glwe_variance = least_variance(Security::Bits128, p.extracted_dimension(), kLog2Modulus);
  const Decision majority{.squared_weights = 3, .bound = 0.125};
  const double one = log2_failure(p, majority);
  EXPECT_NEAR(one, -128.8, 0.1);
  const DecisionCount many[] = {{majority, 1024}, {majority, 1024}};
  EXPECT_NEAR(log2_failure(p, many), one + 11, 1e-9);
  const DecisionCount mixed[] = {{majority, 1}, {{.squared_weights = 1, .bound = 0.25}, 1}};
  EXPECT_NEAR(log2_failure(p, mixed), one, 1e-9);
  EXPECT_GT(log2_failure(p, {.squared_weights = 3, .bound = 0.125, .log2_tables = 1}), one + 10);
}

}  // namespace
}  // namespace tacet::cggi
