#include "cli/explore/trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

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
              std::chrono::milliseconds budget = std::chrono::milliseconds(20'000),
              UnfinishedTrials* unfinished = nullptr, size_t n_runs_at_most = 1000)
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
                         .budget = budget,
                         .unfinished = unfinished};
    n_runs_ = 0;
    return run_trials(candidates, plan, [&](size_t, const std::string&) {
      if (++n_runs_ > n_runs_at_most) {
        plan.interruption.cancel();
      }
    });
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
  EXPECT_EQ(n_runs, (std::vector<size_t>{3, 7, 3, 3}));
  EXPECT_EQ(best_of(*found)->candidate, of("g"));
  EXPECT_DOUBLE_EQ(best_of(*found)->median(), 2);
  EXPECT_DOUBLE_EQ(best_of(*found)->uncertainty(), 0);
  EXPECT_EQ(n_runs_, 16U);
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

/// Runs that were made before an interruption are not made again, unless anything has changed.
TEST_F(TrialsTest, AreResumed) {
  ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  const std::string cases =
      "f:ref) report 7 0.004 0;;\ng:ref) report 7 0.002 0;;\nh:ref) report 7 0.003 0;;\n";
  const std::vector<Candidate> candidates = {of("f"), of("g"), of("h")};
  const auto count = [&](const std::string& identity, size_t n_runs_at_most) {
    UnfinishedTrials unfinished("x.tacet f", identity);
    Result<std::vector<Trial>> found =
        trials(cases, candidates, std::chrono::minutes(1), &unfinished, n_runs_at_most);
    std::vector<size_t> n_runs;
    for (const Trial& trial : found ? *found : std::vector<Trial>()) {
      n_runs.push_back(trial.milliseconds.size());
    }
    return std::tuple(unfinished.n_loaded(), n_runs_, n_runs);
  };
  using Runs = std::vector<size_t>;
  // Of the run that is interrupted nothing is kept.
  EXPECT_EQ(count("values 1", 2), std::tuple(0U, 3U, Runs({2, 0, 0})));
  EXPECT_EQ(count("values 1", 3), std::tuple(2U, 4U, Runs({3, 2, 0})));
  EXPECT_EQ(count("values 2", 1000), std::tuple(0U, 13U, Runs({3, 7, 3})));
  // Who has finished has nothing to resume.
  EXPECT_EQ(count("values 2", 1000), std::tuple(0U, 13U, Runs({3, 7, 3})));
}

/// Whatever somebody wrote into the file.
TEST_F(TrialsTest, AreNotResumedFromBrokenFiles) {
  ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  UnfinishedTrials written("x", "y");
  std::vector<Trial> trials = {{.candidate = of("f"), .state = TrialState::Measured}};
  trials.front().milliseconds = {1, 2};
  written.load("7", trials);
  written.save(trials);
  const auto path = fs::directory_iterator(folder_ / "tacet" / "explore")->path();
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const auto n_loaded_from = [&](const std::string& changed) {
    std::ofstream(path) << changed;
    UnfinishedTrials again("x", "y");
    again.load("7", trials);
    return again.n_loaded();
  };
  EXPECT_EQ(n_loaded_from(text), 2U);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '0' ? '[' : '0';
    EXPECT_LE(n_loaded_from(changed), 2U);
    if (i + 1 < text.size()) {  // the last character ends the line
      EXPECT_EQ(n_loaded_from(text.substr(0, i)), 0U);
    }
  }
  EXPECT_EQ(n_loaded_from("[]"), 0U);
  EXPECT_EQ(n_loaded_from(R"({"salt":[1],"digest":{},"trials":[3]})"), 0U);
}

/// What promises to be much slower is run last, and only if that takes little of the budget.
TEST_F(TrialsTest, DeferWhatPromisesToBeSlow) {
  const auto predicted = [](Candidate candidate, double milliseconds) {
    candidate.predicted_milliseconds = milliseconds;
    return candidate;
  };
  Result<std::vector<Trial>> found = trials(
      "f:ref) report 7 0.002 0;;\ng:ref) report 7 0.001 0;;\nh:ref) report 7 0.003 0;;\n"
      "i:ref) report 7 9 0;;\n",
      {predicted(of("f"), 2), predicted(of("g"), 11), predicted(of("h"), 9),
       predicted(of("i"), 100'000)});
  ASSERT_TRUE(found);
  std::vector<size_t> n_runs;
  for (const Trial& trial : *found) {
    n_runs.push_back(trial.milliseconds.size());
  }
  // `g` was predicted wrongly: one run is enough to find it.
  EXPECT_EQ(n_runs, (std::vector<size_t>{3, 1, 3, 0}));
  EXPECT_EQ(best_of(*found)->candidate.implementation, "g");
  EXPECT_EQ(found->at(3).why, "not run: 100.00 s predicted");
}

TEST_F(TrialsTest, NeedTheRightResults) {
  Result<std::vector<Trial>> found =
      trials("f:ref) echo 'tacet: error: division by zero' >&2; exit 1;;\n", {of("f")});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "cannot run `f` in plaintext: division by zero");
}

TEST(Trials, CostWhatLinksCost) {
  const Links links{.latency_milliseconds = 20, .megabits = 100};
  EXPECT_DOUBLE_EQ(links.milliseconds_of(9, 1e6), 9 * 20 + 80);
  EXPECT_EQ(links.text(), ", links of 20 ms and 100 Mbit/s");
  EXPECT_DOUBLE_EQ(Links().milliseconds_of(9, 1e6), 0);
  EXPECT_EQ(Links().text(), "");
  EXPECT_EQ((Links{.megabits = 2.5}).text(), ", links of 2.5 Mbit/s");
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
