#include "engine/cggi_model/bootstrap_times.h"

#include <gtest/gtest.h>

namespace tacet::cggi {
namespace {

TEST(BootstrapTimes, AreReadAsTheyAreWritten) {
  BootstrapTimes times = default_bootstrap_times();
  times.milliseconds_alone = 3.25;
  times.milliseconds_together = 9.5;
  Result<BootstrapTimes> read = parse_bootstrap_times(times.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, times);
}

TEST(BootstrapTimes, AreRefusedWhereAnythingIsWrong) {
  for (const char* line : {"", "cggi", "bfv 1 2 3", "cggi 696 3 512 17 1 4 3 2 3.2",
                           "cggi 696 3 512 17 1 4 3 2 3.2 -1", "cggi 696 3 512 17 1 4 3 0 3.2 9.5",
                           "cggi 696 3 512 17 1 4 3 2 3.2 9.5 1", "cggi 6e9 3 512 17 1 4 3 2 3 9",
                           "cggi 696 3 512 17 1 4 3 2 inf 9", "cggi 696 3 512 x 1 4 3 2 3 9"}) {
    EXPECT_FALSE(parse_bootstrap_times(line)) << line;
  }
}

TEST(BootstrapTimes, OfTheMeasuredParametersAreThoseMeasured) {
  BootstrapTimes times = default_bootstrap_times();
  times.milliseconds_alone = 3;
  times.milliseconds_together = 8;
  const Parameters& p = times.parameters;
  EXPECT_DOUBLE_EQ(times.level_milliseconds(p, 0), 0);
  EXPECT_DOUBLE_EQ(times.level_milliseconds(p, 1), 3);
  EXPECT_DOUBLE_EQ(times.level_milliseconds(p, 2), 3);  // a thread for each
  EXPECT_DOUBLE_EQ(times.level_milliseconds(p, 8), 8);
  EXPECT_DOUBLE_EQ(times.level_milliseconds(p, 80), 80);
}

TEST(BootstrapTimes, GrowWithParametersAndWithTheNumberOfBootstraps) {
  const BootstrapTimes times = default_bootstrap_times();
  Parameters larger = times.parameters;
  larger.polynomial_size *= 2;
  EXPECT_GT(times.level_milliseconds(larger, 1),
            1.5 * times.level_milliseconds(times.parameters, 1));
  double before = 0;
  for (const size_t n : {1, 3, 5, 7, 9, 11, 101}) {
    const double now = times.level_milliseconds(times.parameters, n);
    EXPECT_GT(now, before) << n;
    before = now;
  }
}

}  // namespace
}  // namespace tacet::cggi
