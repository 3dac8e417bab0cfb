#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/result.h"
#include "cli/explore/local_runs.h"
#include "cli/explore/unfinished.h"

namespace tacet::cli {

enum class TrialState : uint8_t {
  Waiting,    ///< not run yet
  Measured,   ///< run at least once, with the right results
  Refused,    ///< it cannot be run
  Wrong,      ///< other results than in plaintext
  OutOfTime,  ///< it was ended because it took too long
};

/// `1.25 s`, `3.4 ms`, `12 µs`.
auto time_text(double milliseconds) -> std::string;

/// What is known of a candidate before it was run.
inline constexpr const char* kNotRun = "not run: the budget was spent";

/// What is known of a candidate.
struct Trial {
  Candidate candidate;
  TrialState state = TrialState::Waiting;
  /// If it was not measured: one line, for who ran it, since it may have values.
  std::string why{};
  /// Of each run from encryption to results, keys included, without compiling.
  std::vector<double> milliseconds{};
  double rounds = 0;  ///< of parties
  double bytes_sent = 0;
  double key_bytes = 0;
  double peak_memory_bytes = 0;

  [[nodiscard]] auto median() const -> double;
  /// Half the width of the interval that has the mean with a probability of 95 %, by Student's
  /// distribution; 0 of fewer than two runs.
  [[nodiscard]] auto uncertainty() const -> double;
};

/// Links that a run on one machine does not have: what they cost is added to what is measured.
struct Links {
  double latency_milliseconds = 0;  ///< of a message
  double megabits = 0;              ///< a second; 0: as fast as here

  [[nodiscard]] auto milliseconds_of(double rounds, double bytes) const -> double;
  /// `, links of 20 ms and 100 Mbit/s`; empty without any.
  [[nodiscard]] auto text() const -> std::string;
};

struct TrialPlan {
  std::string program;                 ///< the `tacet` to run
  std::string folder;                  ///< in which
  std::vector<std::string> arguments;  ///< of all runs: the file, values, options
  std::string reference;               ///< what gives the right results in plaintext
  std::chrono::milliseconds budget{60'000};
  Links links{};
  /// Runs of one candidate at most.
  size_t most_runs = 16;
  /// All candidates are run equally often, seven times, as far as the budget allows.
  bool is_exhaustive = false;
  /// For candidates in plaintext: runs them in this process; empty if each run is to have its own.
  LocalRuns* here = nullptr;
  /// Ends measuring at once; what was measured so far is given back.
  CancellationToken interruption{};
  /// What an interrupted exploration measured, and will be given what this one does; may be null.
  UnfinishedTrials* unfinished = nullptr;
};

/// Says what is being done: how many runs were made, and what is the best so far.
using TrialProgress = std::function<void(size_t n_runs, const std::string& state)>;

/// Runs all candidates once (those in this process, and short ones, thrice), the faster half of
/// them twice more, the faster half of these four times, and so on, and more than half where others
/// are almost as fast as the best (successive halving: Jamieson and Talwalkar, "Non-stochastic best
/// arm identification and hyperparameter optimization", AISTATS 2016), until one is left or the
/// budget is spent. The results of every run are compared with those in plaintext. An error if
/// these are not available. Runs that an interrupted exploration made are not made again.
/// Candidates that promise to be much slower than the best one are run once, last, if that takes a
/// small part of what is left.
auto run_trials(const std::vector<Candidate>& candidates, const TrialPlan& plan,
                const TrialProgress& progress) -> Result<std::vector<Trial>>;

/// The fastest, or null if none was measured; of those that are not measurably slower, the
/// one with the fewest calls that differ from the text.
auto best_of(const std::vector<Trial>& trials) -> const Trial*;

/// Whether no other takes less of one of time, rounds, bytes, keys and memory, and no more of the
/// others, by more than a twentieth.
auto is_on_front(const Trial& trial, const std::vector<Trial>& trials) -> bool;

}  // namespace tacet::cli
