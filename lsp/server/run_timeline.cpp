#include "lsp/server/run_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Instructions of the MPC machine whose names are not what people say or write.
constexpr std::array<std::pair<std::string_view, std::string_view>, 30> kWords = {{
    {"add", "+"},
    {"sub", "−"},
    {"mul", "×"},
    {"mul_wide", "×"},
    {"div", "÷"},
    {"div_wide", "÷"},
    {"mod", "remainder"},
    {"lt", "<"},
    {"leq", "≤"},
    {"gt", ">"},
    {"geq", "≥"},
    {"eq", "="},
    {"neq", "≠"},
    {"shl", "shift left"},
    {"shr", "shift right"},
    {"ashr", "shift right"},
    {"land", "and"},
    {"lor", "or"},
    {"neg", "negate"},
    {"rsqrt", "inverse root"},
    {"reduce_min", "minimum"},
    {"reduce_max", "maximum"},
    {"reduce_and", "all"},
    {"reduce_or", "any"},
    {"reduce_xor", "parity"},
    {"dot", "dot product"},
    {"matmul", "matrix product"},
    {"gather_secret", "secret lookup"},
    {"scatter_secret", "secret write"},
    {"draw_secret", "secret draw"},
}};

/// `<` of `8: v3 = lt`.
auto operation_of(std::string_view label) -> std::string {
  const size_t sign = label.rfind("= ");
  const std::string_view name = sign == std::string_view::npos ? label : label.substr(sign + 2);
  for (const auto& [mnemonic, words] : kWords) {
    if (mnemonic == name) {
      return std::string(words);
    }
  }
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

auto detail_of(const json& arguments) -> std::string {
  const int rounds = arguments.value("rounds", 0);
  return fmt::format("line {}, {} {}", arguments.value("line", 0), rounds,
                     rounds == 1 ? "round" : "rounds");
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
      open[key] = {time, time, operation_of(event.value("name", "")), detail_of(event["args"]),
                   event["args"].value("line", 0U)};
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
  const json report = json::parse(stats, nullptr, false);
  return report.is_object() && report.contains("seconds")
             ? picture::timeline_picture(lanes_of_phases(report["seconds"]))
             : std::string();
}

}  // namespace tacet::lsp
