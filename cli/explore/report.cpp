#include "cli/explore/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/report.h"
#include "cli/thread_executor.h"
#include "compiler/views/picture/front_picture.h"

namespace tacet::cli {

namespace {

/// Of others a file has this many, the fastest ones.
constexpr size_t kMostOthers = 8;

/// Of candidates; longer ones have a line of their own.
constexpr size_t kWidestColumn = 60;

/// The same in general words, for a file that is committed.
auto public_reason_of(const Trial& trial) -> std::string {
  switch (trial.state) {
    case TrialState::Waiting:
      return trial.why;  // of what was not run, nobody has seen a value
    case TrialState::Measured:
      return {};
    case TrialState::Refused:
      return "refused";
    case TrialState::Wrong:
      return "wrong results";
    case TrialState::OutOfTime:
      return "took longer than the budget";
  }
  return {};
}

auto way_of(const Trial& trial) -> program::ExploredWay {
  program::ExploredWay way{.implementation = trial.candidate.implementation,
                           .device = trial.candidate.device,
                           .scheme = trial.candidate.scheme,
                           .protocol = trial.candidate.protocol};
  for (const program::CallSwap& call : trial.candidate.calls) {
    way.calls.push_back(call.text());
  }
  way.layout = trial.candidate.layout;
  way.threads = trial.candidate.threads;
  if (trial.state == TrialState::Measured) {
    way.milliseconds = trial.median();
    way.bytes = trial.bytes_sent + trial.key_bytes;
  }
  way.why = public_reason_of(trial);
  return way;
}

auto bytes_text(double bytes) -> std::string {
  return bytes >= 1e6   ? fmt::format("{:.1f} MB", bytes / 1e6)
         : bytes >= 1e3 ? fmt::format("{:.1f} KB", bytes / 1e3)
                        : fmt::format("{:.0f} B", bytes);
}

/// `AMD EPYC, 2 threads`: the processor as it calls itself.
auto machine_text() -> std::string {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      model = line.substr(line.find(": ") + 2);
      break;
    }
  }
  return fmt::format("{}, {}", model, counted(thread_count(0), "thread"));
}

/// The measured ones by time, then the others as they are.
auto by_time(const std::vector<Trial>& trials) -> std::vector<const Trial*> {
  std::vector<const Trial*> sorted;
  for (const Trial& trial : trials) {
    sorted.push_back(&trial);
  }
  const auto rank = [](const Trial* trial) {
    return std::pair(trial->state != TrialState::Measured, trial->median());
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Trial* a, const Trial* b) { return rank(a) < rank(b); });
  return sorted;
}

/// What is no candidate, and which calls stay as they are.
auto exclusions_text(const Candidates& found) -> std::string {
  std::string text;
  for (const Exclusion& exclusion : found.exclusions) {
    text += fmt::format("  not {}: {}\n", exclusion.candidate.text(), exclusion.why);
  }
  for (const CallExclusion& exclusion : found.call_exclusions) {
    text += fmt::format("  not `{}`: {}\n", exclusion.swap.text(), exclusion.why);
  }
  if (found.is_cut) {
    text += "  there are too many combinations: only those in which one call differs are tried\n";
  }
  return text;
}

auto more_text(size_t n_all, size_t n_shown) -> std::string {
  return n_all <= n_shown
             ? ""
             : fmt::format("  … and {} more; `--format json` has all\n", n_all - n_shown);
}

auto json_of(const Candidate& candidate) -> nlohmann::json {
  nlohmann::json result = {{"implementation", candidate.implementation},
                           {"device", candidate.device}};
  if (!candidate.scheme.empty()) {
    result["scheme"] = candidate.scheme;
  }
  if (!candidate.protocol.empty()) {
    result["protocol"] = candidate.protocol;
  }
  for (const program::CallSwap& call : candidate.calls) {
    result["calls"].push_back(call.text());
  }
  if (!candidate.layout.empty()) {
    result["layout"] = candidate.layout;
  }
  if (candidate.threads != 0) {
    result["threads"] = candidate.threads;
  }
  return result;
}

auto json_of(const Candidate& candidate, const std::vector<Trial>& trials) -> nlohmann::json {
  nlohmann::json entry = json_of(candidate);
  const auto trial = std::find_if(trials.begin(), trials.end(),
                                  [&](const Trial& of) { return of.candidate == candidate; });
  if (candidate.steps) {
    entry["steps"] = *candidate.steps;
  }
  if (candidate.predicted_milliseconds) {
    entry["predicted_milliseconds"] = *candidate.predicted_milliseconds;
  }
  if (trial != trials.end() && trial->state == TrialState::Measured) {
    entry["milliseconds"] = trial->median();
    entry["uncertainty"] = trial->uncertainty();
    entry["runs"] = trial->milliseconds.size();
    entry["rounds"] = trial->rounds;
    entry["bytes_sent"] = trial->bytes_sent;
    entry["key_bytes"] = trial->key_bytes;
    entry["peak_memory_bytes"] = trial->peak_memory_bytes;
    entry["is_on_front"] = is_on_front(*trial, trials);
  } else if (trial != trials.end()) {
    entry["why"] = trial->why;
  }
  return entry;
}

/// `3.4 ms ± 0.2 ms (3 ms predicted) in 7 runs, 12 rounds, 2.1 KB sent, 28 MB of memory`, without
/// costs that are 0.
auto costs_text(const Trial& trial) -> std::string {
  std::string text = time_text(trial.median());
  if (trial.milliseconds.size() > 1) {
    text += fmt::format(" ± {}", time_text(trial.uncertainty()));
  }
  if (const auto& predicted = trial.candidate.predicted_milliseconds) {
    text += fmt::format(" ({} predicted)", time_text(*predicted));
  }
  text += fmt::format(" in {}", counted(trial.milliseconds.size(), "run"));
  if (trial.rounds > 0) {
    text += fmt::format(", {}", counted(static_cast<size_t>(trial.rounds), "round"));
  }
  if (trial.bytes_sent > 0) {
    text += fmt::format(", {} sent", bytes_text(trial.bytes_sent));
  }
  if (trial.key_bytes > 0) {
    text += fmt::format(", {} of keys", bytes_text(trial.key_bytes));
  }
  return text + fmt::format(", {} of memory", bytes_text(trial.peak_memory_bytes));
}

}  // namespace

auto head_text(const Candidates& found) -> std::string {
  return found.pipeline.empty() ? fmt::format("`{}`({})", found.target, found.signature)
                                : fmt::format("pipeline `{}`({})", found.pipeline, found.signature);
}

auto list_text(const Candidates& found) -> std::string {
  std::string text = head_text(found) + ":\n";
  const size_t n_shown = std::min(found.candidates.size(), kMostShown);
  for (size_t i = 0; i < n_shown; ++i) {
    text += fmt::format("  {}\n", found.candidates[i].text());
  }
  return text + more_text(found.candidates.size(), n_shown) + exclusions_text(found);
}

auto trials_text(const Candidates& found, const std::vector<Trial>& trials) -> std::string {
  std::vector<const Trial*> sorted = by_time(trials);
  sorted.resize(std::min(sorted.size(), kMostShown));
  size_t width = 0;
  for (const Trial* const trial : sorted) {
    width = std::max(width, trial->candidate.text().size());
  }
  std::string text = head_text(found) + ":\n";
  for (const Trial* const trial : sorted) {
    text += width <= kWidestColumn ? fmt::format("  {:<{}}  ", trial->candidate.text(), width)
                                   : fmt::format("  {}\n      ", trial->candidate.text());
    text +=
        trial->state == TrialState::Measured
            ? fmt::format("{}{}\n", costs_text(*trial), is_on_front(*trial, trials) ? "  *" : "")
            : trial->why + "\n";
  }
  text += more_text(trials.size(), sorted.size()) + exclusions_text(found);
  if (trials.size() > 1) {
    text +=
        "* nothing else takes less time, rounds, bytes, keys or memory without taking "
        "more of another\n";
  }
  return text;
}

auto report_json(const Candidates& found, const std::vector<Trial>& trials) -> std::string {
  nlohmann::json candidates = nlohmann::json::array();
  for (const Candidate& candidate : found.candidates) {
    candidates.push_back(json_of(candidate, trials));
  }
  nlohmann::json excluded = nlohmann::json::array();
  for (const Exclusion& exclusion : found.exclusions) {
    nlohmann::json entry = json_of(exclusion.candidate);
    entry["why"] = exclusion.why;
    excluded.push_back(std::move(entry));
  }
  nlohmann::json excluded_calls = nlohmann::json::array();
  for (const CallExclusion& exclusion : found.call_exclusions) {
    excluded_calls.push_back({{"call", exclusion.swap.text()}, {"why", exclusion.why}});
  }
  nlohmann::json result = {{"parameters", found.signature},
                           {"candidates", std::move(candidates)},
                           {"excluded", std::move(excluded)},
                           {"excluded_calls", std::move(excluded_calls)},
                           {"is_cut", found.is_cut}};
  if (found.pipeline.empty()) {
    result["target"] = found.target;
  } else {
    result["pipeline"] = found.pipeline;
  }
  if (const Trial* const best = best_of(trials)) {
    result["best"] = json_of(best->candidate);
  }
  return result.dump() + "\n";
}

auto explanation_text(const program::ExploredChoice& choice) -> Result<std::string> {
  std::string text = choice.pipeline.empty()
                         ? fmt::format("`{}`({})", choice.target, choice.parameters)
                         : fmt::format("pipeline `{}`({})", choice.pipeline, choice.parameters);
  text += fmt::format(", measured on {}:\n", choice.machine);
  std::vector<const program::ExploredWay*> ways = {&choice.chosen};
  for (const program::ExploredWay& other : choice.others) {
    ways.push_back(&other);
  }
  for (const program::ExploredWay* const way : ways) {
    Result<Candidate> candidate = candidate_of(*way);
    if (!candidate) {
      return candidate.error();
    }
    text += fmt::format("  {}: {}\n", candidate->text(),
                        way->milliseconds ? time_text(*way->milliseconds) : way->why);
  }
  return text;
}

auto choice_of(const Candidates& found, const std::vector<Trial>& trials, const Trial& best,
               const std::string& file, const Links& links) -> program::ExploredChoice {
  program::ExploredChoice choice{.file = file,
                                 .target = found.pipeline.empty() ? found.target : "",
                                 .pipeline = found.pipeline,
                                 .parameters = found.signature,
                                 .machine = machine_text() + links.text(),
                                 .chosen = way_of(best),
                                 .others = {}};
  for (const Trial* const trial : by_time(trials)) {
    if (trial != &best && choice.others.size() < kMostOthers) {
      choice.others.push_back(way_of(*trial));
    }
  }
  return choice;
}

auto front_picture_of(const Candidates& found, const std::vector<Trial>& trials) -> std::string {
  std::vector<picture::FrontPoint> points;
  for (const Trial* const trial : by_time(trials)) {
    if (trial->state == TrialState::Measured) {
      points.push_back({.seconds = std::max(trial->median(), 1e-3) / 1000,
                        .bytes = trial->bytes_sent + trial->key_bytes,
                        .label = trial->candidate.text(),
                        .is_on_front = is_on_front(*trial, trials)});
    }
  }
  return picture::front_picture(head_text(found), points);
}

}  // namespace tacet::cli
