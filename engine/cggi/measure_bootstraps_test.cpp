#include "engine/cggi/measure_bootstraps.h"

#include <gtest/gtest.h>

#include "base/value.h"

namespace tacet::cggi {
namespace {

TEST(MeasureBootstraps, MeasuresWhatTheModelExpectsWithinReason) {
  SequentialExecutor executor;
  SecureRandom random = value(SecureRandom::from_system(best_isa()));
  const BootstrapTimes times = value(measure_bootstraps(
      {.executor = executor, .n_threads = 1, .milliseconds = 1}, random, best_isa()));
  EXPECT_EQ(times.n_threads, 1U);
  EXPECT_TRUE(check_parameters(times.parameters));
  EXPECT_GT(times.milliseconds_alone, 0.01);
  EXPECT_GT(times.milliseconds_together, times.milliseconds_alone);
  EXPECT_LT(times.milliseconds_together, 1e5);
}

}  // namespace
}  // namespace tacet::cggi
