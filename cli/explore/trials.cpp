#include "cli/explore/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/child_process.h"
#include "cli/memory_limit.h"

namespace tacet::cli {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// One that takes at most so many times the best's time may be faster in truth.
constexpr double kNearBest = 1.25;

/// Runs in this process are cheap, and the first of them are slow.
constexpr size_t kMoreHere = 2;

constexpr double kShortMilliseconds = 250;
constexpr size_t kLeastOfShort = 3;

/// Of each candidate, if all are run equally often.
constexpr size_t kRunsOfAll = 7;

/// Predictions are not exact.
constexpr double kMuchSlower = 5;

/// A deferred run may take one of so many shares of the rest of the budget.
constexpr double kSharesLeft = 4;

constexpr std::chrono::seconds kBetweenSaves{2};

constexpr const char* kOutOfTime = "it took longer than what was left of the budget";

/// Times that differ by less are the same.
constexpr double kSame = 1.03;

/// So do sizes and times on the front.
constexpr double kAbout = 1.05;

/// Of Student's distribution with 1, 2, … degrees of freedom: 97.5 %.
constexpr std::array<double, 15> kStudent = {12.706, 4.303, 3.182, 2.776, 2.571,
                                             2.447,  2.365, 2.306, 2.262, 2.228,
                                             2.201,  2.179, 2.160, 2.145, 2.131};

/// The first line of what a failed run says, without what all messages begin with.
auto first_error(std::string_view text) -> std::string {
  constexpr std::string_view kPrefix = "tacet: error: ";
  std::string first;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(kPrefix)) {
      return std::string(line.substr(kPrefix.size()));
    }
    const Json diagnostic = Json::parse(line, nullptr, false);
    if (diagnostic.is_object() && diagnostic.value("severity", "") == "error") {
      return diagnostic.value("message", "");
    }
    first = first.empty() ? std::string(line) : first;
  }
  return first;
}

/// Equal but for an error of at most `bound` in numbers.
auto is_near(const Json& a, const Json& b, double bound) -> bool {
  if (a.is_array() && b.is_array()) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const Json& x, const Json& y) { return is_near(x, y, bound); });
  }
  if (bound > 0 && a.is_number() && b.is_number()) {
    return std::abs(a.get<double>() - b.get<double>()) <= bound;
  }
  return a == b;
}

/// What is computed, without names, which functions may choose.
auto values_of(const Json& report) -> Json {
  Json values = Json::array();
  for (const Json& result : report.at("results")) {
    values.push_back(result.at("value"));
  }
  return values;
}

class Trials {
 public:
  Trials(const std::vector<Candidate>& candidates, const TrialPlan& plan,
         const TrialProgress& progress)
      : plan_(plan), progress_(progress), end_(Clock::now() + plan.budget) {
    for (const Candidate& candidate : candidates) {
      trials_.push_back({.candidate = candidate});
    }
  }

  auto run() -> Result<std::vector<Trial>> {
    Result<Json> report = run_child({"--fn", plan_.reference, "--device", "ref"});
    if (!report) {
      return Error{
          fmt::format("cannot run `{}` in plaintext: {}", plan_.reference, report.error().message)};
    }
    expected_ = values_of(*report);
    if (plan_.unfinished != nullptr) {
      plan_.unfinished->load(expected_.dump(), trials_);
      n_runs_ = plan_.unfinished->n_loaded();
    }
    measure();
    for (Trial& trial : trials_) {
      if (trial.state == TrialState::Waiting) {
        trial.why = is_deferred(trial)
                        ? fmt::format("not run: {} predicted",
                                      time_text(*trial.candidate.predicted_milliseconds))
                    : plan_.interruption.is_cancelled() ? "not run"
                                                        : kNotRun;
      }
    }
    if (plan_.unfinished != nullptr && plan_.interruption.is_cancelled()) {
      plan_.unfinished->save(trials_);
    } else if (plan_.unfinished != nullptr) {
      plan_.unfinished->remove();
    }
    return std::move(trials_);
  }

 private:
  void measure() {
    std::vector<Trial*> open;
    for (Trial& trial : trials_) {
      open.push_back(&trial);
    }
    halve(std::move(open));
    run_deferred();
  }

  /// Whether it promises to be so much slower than another that it need not be run to be rejected.
  [[nodiscard]] auto is_deferred(const Trial& trial) const -> bool {
    const Trial* const best = best_of(trials_);
    return !plan_.is_exhaustive && trial.state == TrialState::Waiting && best != nullptr &&
           trial.candidate.predicted_milliseconds.value_or(0) > kMuchSlower * best->median();
  }

  /// Those once that take a small part of what is left: of bytes, keys and memory they may take
  /// less than others.
  void run_deferred() {
    for (Trial& trial : trials_) {
      const double left = std::chrono::duration<double, std::milli>(end_ - Clock::now()).count();
      if (trial.state == TrialState::Waiting && may_run(trial) &&
          trial.candidate.predicted_milliseconds.value_or(0) < left / kSharesLeft) {
        run(trial);
        save();
      }
    }
  }

  void halve(std::vector<Trial*> open) {
    // 1, 2, 4, … runs more.
    for (size_t n_runs = 1; !open.empty(); n_runs = 2 * n_runs + 1) {
      for (Trial* const trial : open) {
        while (trial->milliseconds.size() < n_wanted(*trial, n_runs) && may_run(*trial) &&
               !is_deferred(*trial)) {
          run(*trial);
          save();
        }
      }
      std::erase_if(open, [](const Trial* trial) { return trial->state != TrialState::Measured; });
      std::sort(open.begin(), open.end(),
                [](const Trial* a, const Trial* b) { return a->median() < b->median(); });
      if (plan_.is_exhaustive) {
        if (n_runs >= kRunsOfAll) {
          break;
        }
        continue;
      }
      const bool is_decided = open.size() == 1 && open.front()->milliseconds.size() >= 3;
      if (is_decided || is_over() || (!open.empty() && !may_run(*open.front()))) {
        break;
      }
      const Trial& best = *open.front();
      const auto is_near_best = [&](const Trial* trial) {
        return trial->median() <= kNearBest * best.median() ||
               trial->median() - trial->uncertainty() <= best.median() + best.uncertainty();
      };
      const size_t n_near =
          static_cast<size_t>(std::count_if(open.begin(), open.end(), is_near_best));
      open.resize(std::max((open.size() + 1) / 2, n_near));
    }
  }

  /// Runs that a trial should have by the end of a round of `n_runs`. Those in this process are
  /// cheap, and of short runs a single one says little: whatever else the machine does delays it.
  [[nodiscard]] auto n_wanted(const Trial& trial, size_t n_runs) const -> size_t {
    return is_here(trial)                        ? n_runs + kMoreHere
           : trial.median() < kShortMilliseconds ? std::max(n_runs, kLeastOfShort)
                                                 : n_runs;
  }

  [[nodiscard]] auto is_over() const -> bool {
    return Clock::now() >= end_ || plan_.interruption.is_cancelled();
  }

  /// A process that is killed leaves what it measured, but for the last seconds.
  void save() {
    if (plan_.unfinished != nullptr && Clock::now() >= next_save_) {
      plan_.unfinished->save(trials_);
      next_save_ = Clock::now() + kBetweenSaves;
    }
  }

  [[nodiscard]] auto may_run(const Trial& trial) const -> bool {
    return (trial.state == TrialState::Waiting || trial.state == TrialState::Measured) &&
           trial.milliseconds.size() < plan_.most_runs && !is_over();
  }

  [[nodiscard]] auto is_here(const Trial& trial) const -> bool {
    return plan_.here != nullptr && plan_.here->runs(trial.candidate);
  }

  void run_here(Trial& trial) {
    Result<std::optional<LocalRun>> run =
        plan_.here->run(trial.candidate, [this] { return is_over(); });
    if (plan_.interruption.is_cancelled()) {
      return;
    }
    if (!run || !*run) {
      trial.state = run ? TrialState::OutOfTime : TrialState::Refused;
      trial.why = run ? kOutOfTime : run.error().message;
      return;
    }
    if (is_right(trial, values_of(Json::parse((*run)->results)), 0)) {
      trial.milliseconds.push_back((*run)->milliseconds);
      trial.peak_memory_bytes = static_cast<double>(peak_memory_bytes());
    }
  }

  /// Sets the state by what was computed.
  auto is_right(Trial& trial, const Json& values, double bound) -> bool {
    if (is_near(values, expected_, bound)) {
      trial.state = TrialState::Measured;
      return true;
    }
    trial.state = TrialState::Wrong;
    trial.why = fmt::format("it computes {}, and `{}` {} in plaintext", values.dump(),
                            plan_.reference, expected_.dump());
    return false;
  }

  void run(Trial& trial) {
    const Trial* const best = best_of(trials_);
    progress_(n_runs_++, best == nullptr
                             ? trial.candidate.text()
                             : fmt::format("{}; best so far: {}, {:.1f} ms", trial.candidate.text(),
                                           best->candidate.text(), best->median()));
    if (is_here(trial)) {
      run_here(trial);
      return;
    }
    std::vector<std::string> how = trial.candidate.arguments();
    if (trial.candidate.device == "he" && trial.candidate.scheme != "cggi" &&
        plan_.links.megabits > 0) {
      how.insert(how.end(), {"--link", fmt::format("{}", plan_.links.megabits)});
    }
    Result<Json> report = run_child(how);
    if (plan_.interruption.is_cancelled()) {
      return;
    }
    if (!report) {
      trial.state = is_out_of_time_ ? TrialState::OutOfTime : TrialState::Refused;
      trial.why = report.error().message;
      return;
    }
    const Json& stats = report->at("stats");
    const double bound = stats.value("error_bound", 0.0);
    if (!is_right(trial, values_of(*report), bound)) {
      return;
    }
    double seconds = 0;
    for (const auto& [phase, time] : stats.at("seconds").items()) {
      const bool is_run = phase != "total" && phase != "parse" && phase != "check" &&
                          phase != "schedule" && phase != "optimise";
      seconds += is_run ? time.get<double>() : 0;
    }
    trial.rounds = stats.value("rounds", 0.0);
    trial.bytes_sent = stats.value("bytes_sent", 0.0);
    // A client sends what it encrypts, and gets results.
    const double n_messages = trial.candidate.device == "he" ? 2 : trial.rounds;
    trial.milliseconds.push_back(1000 * seconds +
                                 plan_.links.milliseconds_of(n_messages, trial.bytes_sent));
    trial.key_bytes = stats.value("key_bytes", stats.value("rotation_key_bytes", 0.0));
    trial.peak_memory_bytes = stats.value("peak_memory_bytes", 0.0);
  }

  auto run_child(const std::vector<std::string>& how) -> Result<Json> {
    std::vector<std::string> arguments = {plan_.program, "run"};
    arguments.insert(arguments.end(), plan_.arguments.begin(), plan_.arguments.end());
    arguments.insert(arguments.end(), how.begin(), how.end());
    arguments.insert(arguments.end(), {"--stats", "--format", "json"});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    constexpr std::chrono::milliseconds kLeast{1000};
    Result<ChildOutput> ended = tacet::run_child(arguments, plan_.folder, plan_.interruption,
                                                 {.time = std::max(left, kLeast)});
    if (!ended) {
      return ended.error();
    }
    is_out_of_time_ = ended->is_out_of_time;
    if (is_out_of_time_) {
      return Error{kOutOfTime};
    }
    if (ended->exit_code != 0) {
      return Error{first_error(ended->errors)};
    }
    Json report = Json::parse(ended->output, nullptr, false);
    if (!report.is_object() || !report.contains("results") || !report.contains("stats")) {
      return Error{"its output is no report"};
    }
    return report;
  }

  const TrialPlan& plan_;
  const TrialProgress& progress_;
  Clock::time_point end_;
  Clock::time_point next_save_ = Clock::now() + kBetweenSaves;
  Json expected_;
  std::vector<Trial> trials_;
  size_t n_runs_ = 0;
  bool is_out_of_time_ = false;
};

}  // namespace

auto time_text(double milliseconds) -> std::string {
  return milliseconds >= 1000 ? fmt::format("{:.2f} s", milliseconds / 1000)
         : milliseconds >= 1  ? fmt::format("{:.1f} ms", milliseconds)
         : milliseconds >= 0.01 || milliseconds == 0
             ? fmt::format("{:.0f} µs", 1000 * milliseconds)
             : fmt::format("{:.2g} µs", 1000 * milliseconds);
}

auto Links::milliseconds_of(double rounds, double bytes) const -> double {
  constexpr double kBitsOfByte = 8;
  constexpr double kBitsOfMillisecond = 1000;  // of a megabit a second
  return rounds * latency_milliseconds +
         (megabits > 0 ? kBitsOfByte * bytes / (kBitsOfMillisecond * megabits) : 0);
}

auto Links::text() const -> std::string {
  std::string text;
  if (latency_milliseconds > 0) {
    text += fmt::format("{:g} ms", latency_milliseconds);
  }
  if (megabits > 0) {
    text += fmt::format("{}{:g} Mbit/s", text.empty() ? "" : " and ", megabits);
  }
  return text.empty() ? text : ", links of " + text;
}

auto Trial::median() const -> double {
  std::vector<double> sorted = milliseconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  return n == 0 ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

auto Trial::uncertainty() const -> double {
  const size_t n = milliseconds.size();
  if (n < 2) {
    return 0;
  }
  const auto count = static_cast<double>(n);
  const double mean = std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / count;
  double squares = 0;
  for (const double time : milliseconds) {
    squares += (time - mean) * (time - mean);
  }
  return kStudent.at(std::min(n - 2, kStudent.size() - 1)) *
         std::sqrt(squares / (count - 1) / count);
}

auto run_trials(const std::vector<Candidate>& candidates, const TrialPlan& plan,
                const TrialProgress& progress) -> Result<std::vector<Trial>> {
  return Trials(candidates, plan, progress).run();
}

auto best_of(const std::vector<Trial>& trials) -> const Trial* {
  const Trial* fastest = nullptr;
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::Measured &&
        (fastest == nullptr || trial.median() < fastest->median())) {
      fastest = &trial;
    }
  }
  const Trial* best = fastest;
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::Measured && trial.median() <= kSame * fastest->median() &&
        trial.candidate.calls.size() < best->candidate.calls.size()) {
      best = &trial;
    }
  }
  return best;
}

auto is_on_front(const Trial& trial, const std::vector<Trial>& trials) -> bool {
  const auto costs = [](const Trial& of) {
    return std::array{of.median(), of.rounds, of.bytes_sent, of.key_bytes, of.peak_memory_bytes};
  };
  const auto own = costs(trial);
  return trial.state == TrialState::Measured &&
         std::none_of(trials.begin(), trials.end(), [&](const Trial& other) {
           const auto its = costs(other);
           const auto is_no_more = [](double a, double b) { return a <= kAbout * b; };
           const auto is_less = [](double a, double b) { return kAbout * a < b; };
           return other.state == TrialState::Measured &&
                  std::equal(its.begin(), its.end(), own.begin(), is_no_more) &&
                  !std::equal(its.begin(), its.end(), own.begin(), std::not_fn(is_less));
         });
}

}  // namespace tacet::cli
