#include "lsp/server/run_timeline.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "compiler/views/picture/timeline_picture.h"

namespace tacet::lsp {

using nlohmann::json;
using picture::Lane;
using picture::Span;

namespace {

constexpr double kMicroseconds = 1e-6;

auto detail_of(const json& arguments) -> std::string {
  return fmt::format("{}; {} rounds", arguments.value("instruction", ""),
                     arguments.value("rounds", 0));
}

/// Parties by their rank, each with its instructions. Events of a run of ours: they come in pairs.
auto lanes_of_trace(const json& events) -> std::vector<Lane> {
  std::map<int, Lane> lanes;
  std::map<std::pair<int, int>, Span> open;
  for (const json& event : events) {
    const std::string phase = event.value("ph", "");
    const int party = event.value("pid", 0);
    if (phase == "M") {
      lanes[party].name = event["args"].value("name", "");
      continue;
    }
    const auto key = std::pair(party, event.value("id", 0));
    const double time = event.value("ts", 0.0) * kMicroseconds;
    if (phase == "b") {
      open[key] = {time, time, event.value("name", ""), detail_of(event["args"])};
    } else if (const auto begun = open.find(key); phase == "e" && begun != open.end()) {
      begun->second.end = time;
      lanes[party].spans.push_back(std::move(begun->second));
      open.erase(begun);
    }
  }
  std::vector<Lane> all;
  for (auto& [party, lane] : lanes) {
    all.push_back(std::move(lane));
  }
  return all;
}

/// Phases follow one another in this order.
auto lanes_of_phases(const json& seconds) -> std::vector<Lane> {
  std::vector<Lane> lanes;
  double time = 0;
  for (const char* phase : {"parse", "check", "schedule", "optimise", "keygen", "prepare",
                            "encrypt", "evaluate", "decrypt"}) {
    if (seconds.contains(phase)) {
      const double end = time + seconds[phase].get<double>();
      lanes.push_back({phase, {{time, end, phase, {}}}});
      time = end;
    }
  }
  return lanes;
}

}  // namespace

auto run_timeline(std::string_view stats, std::string_view trace) -> std::string {
  const json traced = json::parse(trace, nullptr, false);
  if (traced.is_object() && traced.contains("traceEvents")) {
    return picture::timeline_picture(lanes_of_trace(traced["traceEvents"]));
  }
  const json told = json::parse(stats, nullptr, false);
  return told.is_object() && told.contains("seconds")
             ? picture::timeline_picture(lanes_of_phases(told["seconds"]))
             : std::string();
}

}  // namespace tacet::lsp
