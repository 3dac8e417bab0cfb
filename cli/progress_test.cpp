#include "cli/progress.h"

#include <gtest/gtest.h>

namespace tacet::cli {
namespace {

TEST(TimeLeft, IsThatOfTheRestAtTheSpeedSoFar) {
  EXPECT_EQ(time_left_text(2, 10, 100), "about 19 s left");
  EXPECT_EQ(time_left_text(30, 50, 100), "about 31 s left");
  EXPECT_EQ(time_left_text(60, 10, 100), "about 9 min left");
}

TEST(TimeLeft, IsNotSaidFromTooLittle) {
  EXPECT_EQ(time_left_text(0.5, 50, 100), "");
  EXPECT_EQ(time_left_text(10, 0, 100), "");
  EXPECT_EQ(time_left_text(10, 1, 100), "");
  EXPECT_EQ(time_left_text(10, 100, 100), "");
  EXPECT_EQ(time_left_text(10, 5, 0), "");
}

}  // namespace
}  // namespace tacet::cli
