#include "cli/explore/trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace tacet::cli {
namespace {

namespace fs = std::filesystem;

/// In place of `tacet`: what each function and scheme does is a line of bash.
class TrialsTest : public testing::Test {
 protected:
  TrialsTest()
      : folder_(fs::temp_directory_path() /
                (std::string("trials_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~TrialsTest() override { fs::remove_all(folder_); }

  /// `cases` are those of `case "$function:$device$scheme"`.
  auto trials(const std::string& cases, const std::vector<Candidate>& candidates,
              std::chrono::milliseconds budget = std::chrono::milliseconds(20'000))
      -> Result<std::vector<Trial>> {
    const fs::path program = folder_ / "program";
    std::ofstream(program) << "#!/bin/bash\n"
                              "while [ $# -gt 0 ]; do case \"$1\" in --fn) f=$2;; --device) "
                              "d=$2;; --scheme) s=$2;; esac; shift; done\n"
                              "report() { echo '{\"results\":[{\"value\":'$1'}],\"stats\":{"
                              "\"error_bound\":'${4:-0}',\"bytes_sent\":'$3',\"seconds\":{"
                              "\"check\":9,\"evaluate\":'$2',\"total\":99}}}'; }\n"
                              "case \"$f:$d$s\" in\n"
                           << cases << "esac\n";
    fs::permissions(program, fs::perms::owner_all);
    const TrialPlan plan{.program = program.string(),
                         .folder = folder_.string(),
                         .arguments = {"x.tacet"},
                         .reference = "f",
                         .budget = budget};
    return run_trials(candidates, plan, [&](size_t, const std::string&) { ++n_runs_; });
  }

  fs::path folder_;
  size_t n_runs_ = 0;
};

auto of(const std::string& function, const std::string& device = "ref",
        const std::string& scheme = "") -> Candidate {
  return {.implementation = function, .device = device, .scheme = scheme, .protocol = ""};
}

TEST_F(TrialsTest, RunTheFasterHalfAgain) {
  Result<std::vector<Trial>> found = trials(
      "f:ref) report 7 0.004 0;;\ng:ref) report 7 0.002 0;;\nh:ref) report 7 0.003 0;;\n"
      "i:ref) report 7 0.009 0;;\n",
      {of("f"), of("g"), of("h"), of("i")});
  ASSERT_TRUE(found);
  std::vector<size_t> n_runs;
  for (const Trial& trial : *found) {
    n_runs.push_back(trial.milliseconds.size());
  }
  EXPECT_EQ(n_runs, (std::vector<size_t>{1, 7, 3, 1}));
  EXPECT_EQ(best_of(*found)->candidate, of("g"));
  EXPECT_DOUBLE_EQ(best_of(*found)->median(), 2);
  EXPECT_DOUBLE_EQ(best_of(*found)->uncertainty(), 0);
  EXPECT_EQ(n_runs_, 12U);
}

TEST_F(TrialsTest, KeepWhatIsAlmostAsFast) {
  Result<std::vector<Trial>> found =
      trials("f:ref) report 7 0.0040 0;;\ng:ref) report 7 0.0041 0;;\nh:ref) report 7 0.0042 0;;\n",
             {of("f"), of("g"), of("h")});
  ASSERT_TRUE(found);
  for (const Trial& trial : *found) {
    EXPECT_EQ(trial.milliseconds.size(), 16U);
  }
}

TEST_F(TrialsTest, DiscardWhatIsWrongRefusedOrTooSlow) {
  Result<std::vector<Trial>> found = trials(
      "f:ref) report 7 0.1 0;;\n"
      "g:ref) report 8 0.001 0;;\n"
      "f:hebfv) echo 'tacet: note: x' >&2; echo 'tacet: error: too deep' >&2; exit 1;;\n"
      "f:hebgv) echo '{\"severity\":\"error\",\"message\":\"no range\"}' >&2; exit 1;;\n"
      "f:heckks) report 7.25 0.2 0 0.5;;\n"
      "f:hecggi) exec sleep 60;;\n",
      {of("f"), of("g"), of("f", "he", "bfv"), of("f", "he", "bgv"), of("f", "he", "ckks"),
       of("f", "he", "cggi")},
      std::chrono::milliseconds(5'000));
  ASSERT_TRUE(found);
  const auto state = [&](size_t i) { return std::pair(found->at(i).state, found->at(i).why); };
  EXPECT_EQ(state(0), std::pair(TrialState::Measured, std::string()));
  EXPECT_EQ(state(1),
            std::pair(TrialState::Wrong, std::string("it computes [8], and `f` [7] in plaintext")));
  EXPECT_EQ(state(2), std::pair(TrialState::Refused, std::string("too deep")));
  EXPECT_EQ(state(3), std::pair(TrialState::Refused, std::string("no range")));
  EXPECT_EQ(state(4), std::pair(TrialState::Measured, std::string()));
  EXPECT_EQ(found->at(5).state, TrialState::OutOfTime);
  EXPECT_EQ(best_of(*found)->candidate, of("f"));
}

TEST_F(TrialsTest, NeedTheRightResults) {
  Result<std::vector<Trial>> found =
      trials("f:ref) echo 'tacet: error: division by zero' >&2; exit 1;;\n", {of("f")});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "cannot run `f` in plaintext: division by zero");
}

TEST(Trials, OnTheFrontAreBeatenByNone) {
  const auto measured = [](const std::string& name, double milliseconds, double bytes) {
    Trial trial{.candidate = of(name), .state = TrialState::Measured};
    trial.milliseconds = {milliseconds};
    trial.bytes_sent = bytes;
    return trial;
  };
  const std::vector<Trial> trials = {measured("fast", 1, 100), measured("small", 5, 10),
                                     measured("neither", 6, 10), measured("equal", 1, 100)};
  EXPECT_TRUE(is_on_front(trials[0], trials));
  EXPECT_TRUE(is_on_front(trials[1], trials));
  EXPECT_FALSE(is_on_front(trials[2], trials));
  EXPECT_TRUE(is_on_front(trials[3], trials));
}

TEST(Trials, AreAsCertainAsStudentSays) {
  Trial trial{.candidate = of("f")};
  trial.milliseconds = {9, 10, 11};
  EXPECT_DOUBLE_EQ(trial.median(), 10);
  EXPECT_NEAR(trial.uncertainty(), 4.303 / std::sqrt(3), 1e-9);
}

}  // namespace
}  // namespace tacet::cli
