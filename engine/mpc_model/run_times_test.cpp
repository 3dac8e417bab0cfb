#include "engine/mpc_model/run_times.h"

#include <gtest/gtest.h>

namespace tacet::mpc_model {
namespace {

/// Three runs of a machine that takes 2 ms, 0.1 ms a round and 10 ms a megabyte.
TEST(RunTimes, AreThoseOfTheMeasuredRuns) {
  const RunTimes times = times_by({{3, 0}, 2.3}, {{403, 0}, 42.3}, {{20, 4'000'000}, 44});
  EXPECT_NEAR(times.start_milliseconds, 2, 1e-9);
  EXPECT_NEAR(times.round_milliseconds, 0.1, 1e-9);
  EXPECT_NEAR(times.megabyte_milliseconds, 10, 1e-9);
  EXPECT_NEAR(times.milliseconds_of({100, 1'000'000}), 22, 1e-9);
}

/// A busy machine measures nonsense, which must not become negative times.
TEST(RunTimes, AreNeverNegative) {
  const RunTimes times = times_by({{3, 0}, 50}, {{403, 0}, 20}, {{20, 4'000'000}, 1});
  EXPECT_EQ(times.round_milliseconds, 0);
  EXPECT_EQ(times.start_milliseconds, 50);
  EXPECT_EQ(times.megabyte_milliseconds, 0);
  EXPECT_EQ(times_by({}, {}, {}), RunTimes());
}

TEST(RunTimes, AreReadAsTheyWereWritten) {
  const ProtocolTimes times = {{"aby3", {2.5, 0.125, 10}}, {"semi2k", {4, 0.5, 20.25}}};
  ProtocolTimes read;
  std::string text = to_text(times);
  EXPECT_EQ(text, "mpc aby3 2.5000 0.1250 10.0000\nmpc semi2k 4.0000 0.5000 20.2500\n");
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    EXPECT_TRUE(parse_line(text.substr(0, end), read));
    text.erase(0, end + 1);
  }
  EXPECT_EQ(read, times);
  for (const char* const broken :
       {"", "mpc", "mpc aby3 1 2", "mpc aby3 1 2 3 4", "mpc aby3 1 2 x", "mpc aby3 1 2 -3",
        "mpc aby3 1 2 inf", "mpc  1 2 3", "cggi aby3 1 2 3", "mpc aby3 1 2 3x"}) {
    EXPECT_FALSE(parse_line(broken, read)) << broken;
  }
  EXPECT_EQ(read, times);
}

}  // namespace
}  // namespace tacet::mpc_model
