#include "engine/mpc_model/run_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace tacet::mpc_model {

namespace {

constexpr double kMegabyte = 1e6;

/// The words of a line, with blanks between them.
auto words_of(std::string_view line) -> std::vector<std::string_view> {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    words.push_back(word);
    line.remove_prefix(std::min(word.size() + 1, line.size()));
  }
  return words;
}

}  // namespace

auto RunTimes::milliseconds_of(const Cost& cost) const -> double {
  return start_milliseconds + round_milliseconds * static_cast<double>(cost.rounds) +
         megabyte_milliseconds * static_cast<double>(cost.bytes) / kMegabyte;
}

auto times_by(const MeasuredRun& small, const MeasuredRun& deep, const MeasuredRun& wide)
    -> RunTimes {
  // First without the bytes of the small and the deep run, which are few; the wide run's rounds
  // are.
  RunTimes times;
  const double n_rounds =
      static_cast<double>(deep.cost.rounds) - static_cast<double>(small.cost.rounds);
  times.round_milliseconds =
      n_rounds > 0 ? std::max(0.0, (deep.milliseconds - small.milliseconds) / n_rounds) : 0;
  times.start_milliseconds = std::max(
      0.0, small.milliseconds - times.round_milliseconds * static_cast<double>(small.cost.rounds));
  const double megabytes = static_cast<double>(wide.cost.bytes) / kMegabyte;
  const double rest = wide.milliseconds - times.milliseconds_of({wide.cost.rounds, 0});
  times.megabyte_milliseconds = megabytes > 0 ? std::max(0.0, rest / megabytes) : 0;
  return times;
}

auto to_text(const ProtocolTimes& times) -> std::string {
  std::string text;
  for (const auto& [name, of] : times) {
    text += fmt::format("mpc {} {:.4f} {:.4f} {:.4f}\n", name, of.start_milliseconds,
                        of.round_milliseconds, of.megabyte_milliseconds);
  }
  return text;
}

auto parse_line(std::string_view line, ProtocolTimes& times) -> Status {
  const std::vector<std::string_view> words = words_of(line);
  const Error wrong{fmt::format("invalid times of parties `{}`", line)};
  if (words.size() != 5 || words[0] != "mpc" || words[1].empty()) {
    return wrong;
  }
  std::array<double, 3> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string_view word = words[i + 2];
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), numbers.at(i));
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(numbers.at(i)) ||
        numbers.at(i) < 0) {
      return wrong;
    }
  }
  times[std::string(words[1])] = {numbers[0], numbers[1], numbers[2]};
  return std::monostate{};
}

auto default_protocol_times() -> const ProtocolTimes& {
  static const ProtocolTimes times = {
      {"aby3", {2, 0.1, 10}},
      {"aby3-active", {3, 0.15, 50}},  // most of it is checks of conjunctions
      {"rep4", {3, 0.15, 8}},
      {"semi2k", {4, 0.1, 10}}};
  return times;
}

}  // namespace tacet::mpc_model
