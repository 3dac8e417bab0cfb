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

TEST(NoiseBounds, OfSeveralKeyHoldersAreAboveTheAverage) {
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv}) {
    double before = 0;
    for (const unsigned n_holders : {1U, 2U, 8U, 64U}) {
      const NoiseModel model(scheme, kN, kT, {50, 50, 50, 50}, {50}, n_holders);
      const NoiseBounds most(scheme, kN, kT, {50, 50, 50, 50}, {50}, n_holders);
      expect_above(most.fresh_public(), model.fresh_public());
      EXPECT_GT(model.fresh_public(), before);
      before = model.fresh_public();
      for (const KeyOrigin origin : {KeyOrigin::Image, KeyOrigin::Square}) {
        expect_above(most.switched(0, 4, origin), add_logarithms(-10, model.key_switch(4, origin)));
      }
      EXPECT_GE(model.key_switch(4, KeyOrigin::Square), model.key_switch(4, KeyOrigin::Image));
      NoiseState a{.noise = model.fresh_public(), .n_primes = 4};
      expect_above(most.product(most.fresh_public(), most.fresh_public()),
                   model.product(a, a).noise);
      expect_above(most.dropped(90, 4, 2), model.dropped({.noise = 80, .n_primes = 4}, 2).noise);
    }
  }
}

TEST(NoiseBounds, FloodsAreWideEnough) {
  for (const double bound : {5.0, 30.0, 100.0}) {
    const double bits = bounds(Scheme::Bfv).flooding_bits(bound);
    EXPECT_LE(static_cast<double>(kN) * std::exp2(bound - bits), std::exp2(-kHidingBits));
    EXPECT_EQ(bits, std::floor(bits));
    // The floods of eight parties, each up to half of its width.
    EXPECT_NEAR(bounds(Scheme::Bfv).flooded(bound, 8), bits - 1 + 3, 1e-6);
    EXPECT_NEAR(bounds(Scheme::Bfv).flooded_budget(bound, 3, 8),
                150 - 1 - std::log2(kT) - (bits + 2), 1e-6);
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
