#include "engine/he_model/noise_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/he_model/noise_model.h"

namespace tacet::he {
namespace {

constexpr size_t kN = 4096;
constexpr double kT = 65537;
constexpr double kDeviations = 10;

auto bounds(Scheme scheme) -> NoiseBounds {
  return {scheme, kN, kT, {50, 50, 50, 50}, {50}};
}

/// The estimate 2^`deviation` is always below the bound.
void expect_above(double bound, double deviation) {
  EXPECT_GE(bound, deviation + std::log2(kDeviations) - 1e-6);
}

TEST(NoiseBounds, AreAboveTheAverage) {
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv}) {
    const NoiseModel model(scheme, kN, kT, {50, 50, 50, 50}, {50});
    const NoiseBounds most = bounds(scheme);
    expect_above(most.fresh_public(), model.fresh_public());
    NoiseState a{.noise = model.fresh_symmetric(), .n_primes = 4};
    double bound = most.fresh_symmetric();
    for (int level = 0; level < 3; ++level) {
      a.noise = model.plain_product(a.noise, kT / 2);
      bound = most.plain_product(bound, kT / 2);
      expect_above(bound, a.noise);
      a.noise = add_logarithms(model.product(a, a).noise, model.key_switch(a.n_primes));
      bound = most.switched(most.product(bound, bound), a.n_primes);
      expect_above(bound, a.noise);
      a.noise = model.dropped(a, 1).noise;
      bound = most.dropped(bound, a.n_primes, 1);
      --a.n_primes;
      expect_above(bound, a.noise);
    }
  }
}

TEST(NoiseBounds, HidingNoiseIsWideEnough) {
  // N n (2^bound + what is added with it) / 2^bits, for each of the parts of a result.
  for (const double bound : {5.0, 30.0, 100.0}) {
    for (const size_t n_ciphertexts : {1U, 7U}) {
      const double bits = bounds(Scheme::Bfv).hiding_bits(bound, n_ciphertexts);
      const double distance =
          kMostHiddenParts * static_cast<double>(kN * n_ciphertexts) * std::exp2(bound - bits);
      EXPECT_LE(distance, std::exp2(-kHidingBits));
      EXPECT_EQ(bits, std::floor(bits));
    }
  }
  // The zero under the public key has noise of its own, which is no secret of the server's but
  // says how it was drawn.
  EXPECT_GT(bounds(Scheme::Bfv).hiding_bits(0, 1), kHidingBits + std::log2(kN) + 12);
}

TEST(NoiseBounds, HiddenResultsLeaveWhatIsLeftOfTheModulus) {
  const NoiseBounds most = bounds(Scheme::Bgv);
  EXPECT_DOUBLE_EQ(most.hidden_budget(20, 3, 1), 150 - 1 - std::log2(kT) - most.hiding_bits(20, 1));
}

}  // namespace
}  // namespace tacet::he
