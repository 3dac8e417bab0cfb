#include "engine/he/measure_times.h"

#include <gtest/gtest.h>

#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

TEST(MeasureTimes, HaveEveryOperation) {
  TimeMeasurement options{
      .least_dimension = 2048, .most_dimension = 4096, .milliseconds = 0.1, .progress = {}};
  secure_random::SecureRandom random =
      secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa());
  size_t n_steps = 0;
  options.progress = [&](Scheme, size_t, size_t) {
    ++n_steps;
    return true;
  };
  Result<OperationTimes> times = measure_operation_times(options, random);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(n_steps, 12U);
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv}) {
    for (size_t i = 0; i < kOperations; ++i) {
      const OperationPlace place{
          .scheme = scheme, .ring_dimension = 4096, .n_primes = 2, .n_special = 1};
      EXPECT_GT(times->of(static_cast<Operation>(i), place), 0);
    }
  }
  // Every line is of a requested ring.
  for (const char* other : {" 1024 ", " 8192 "}) {
    EXPECT_EQ(times->text().find(other), std::string::npos);
  }
}

TEST(MeasureTimes, StopOnRequest) {
  TimeMeasurement options;
  options.progress = [](Scheme, size_t, size_t) { return false; };
  secure_random::SecureRandom random =
      secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa());
  EXPECT_FALSE(measure_operation_times(options, random));
}

}  // namespace
}  // namespace tacet::he
