#include "cli/parties/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tacet::cli {

namespace {

auto plan_time_text(double seconds) -> std::string {
  return seconds >= 10      ? fmt::format("{:.0f} s", seconds)
         : seconds >= 1     ? fmt::format("{:.1f} s", seconds)
         : seconds >= 0.001 ? fmt::format("{:.0f} ms", seconds * 1000)
                            : fmt::format("{:.2f} ms", seconds * 1000);
}

auto plan_row(std::string_view name, std::string_view value) -> std::string {
  return fmt::format("{:<12} {}\n", name, value);
}

/// Columns as wide as their widest cell; numbers to the right from column `n_words` on.
auto aligned(const std::vector<std::vector<std::string>>& rows, size_t n_words) -> std::string {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      line += i < n_words ? fmt::format(" {:<{}}", row[i], widths[i])
                          : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

auto inputs_text(const RunPlan& plan) -> std::string {
  std::vector<std::vector<std::string>> rows;
  for (const RunPlan::Input& input : plan.inputs) {
    rows.push_back({input.name, input.type,
                    input.supplier.empty() ? "public, " + input.value : "from " + input.supplier});
  }
  return rows.empty() ? "" : "\ninputs\n" + aligned(rows, 3);
}

auto receiver_text(const std::string& receiver) -> std::string {
  return receiver.empty() ? "all parties learn it" : "only " + receiver + " learns it";
}

auto results_text(const RunPlan& plan) -> std::string {
  std::vector<std::vector<std::string>> rows;
  for (const RunPlan::Result& result : plan.results) {
    rows.push_back({result.name, result.type, receiver_text(result.receiver)});
  }
  std::string text = rows.empty() ? "" : "\nresults\n" + aligned(rows, 3);
  rows.clear();
  for (const RunPlan::Reveal& reveal : plan.reveals) {
    rows.push_back(
        {fmt::format("line {}", reveal.line), reveal.type, receiver_text(reveal.receiver)});
  }
  return rows.empty() ? text : text + "\nrevealed by the program\n" + aligned(rows, 3);
}

auto links_text(const RunPlan& plan) -> std::string {
  std::vector<std::vector<std::string>> rows = {{"", "bytes there", "bytes back"}};
  if (!plan.link_source.empty()) {
    rows[0].insert(rows[0].end(), {"latency", "Mbit/s", "time"});
  }
  for (const RunPlan::Link& link : plan.links) {
    rows.push_back({link.a + " - " + link.b, fmt::format("{}", link.bytes_there),
                    fmt::format("{}", link.bytes_back)});
    if (!plan.link_source.empty()) {
      rows.back().insert(
          rows.back().end(),
          {fmt::format("{:.4g} ms", link.latency_milliseconds),
           link.megabits > 0 ? fmt::format("{:.4g}", link.megabits) : std::string("any"),
           plan_time_text(link.seconds)});
    }
  }
  return "\nlinks\n" + aligned(rows, 1);
}

}  // namespace

auto RunPlan::has_public_inputs() const -> bool {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Input& input) { return input.supplier.empty(); });
}

auto plan_as_text(const RunPlan& plan) -> std::string {
  std::string text = plan_row("program", plan.program);
  text += plan_row(
      "protocol",
      fmt::format("{}{}, {} truncation", plan.protocol,
                  plan.correlations.empty() ? "" : " with " + plan.correlations, plan.truncation));
  text += plan_row("parties", fmt::format("{}", fmt::join(plan.parties, ", ")));
  text += plan.dealer.empty() ? "" : plan_row("dealer", plan.dealer);
  if (!plan.run_digest.empty()) {
    text += plan_row("digest", plan.run_digest);
    if (plan.has_public_inputs()) {
      text += plan_row("", plan.program_digest + " with any public inputs");
    }
  }
  text += inputs_text(plan);
  text += results_text(plan);
  text += links_text(plan);
  if (plan.encrypted) {
    text += "\n" +
            plan_row("encrypted", fmt::format("`{}`, under a key of all parties, before the rest",
                                              fmt::join(plan.encrypted->names, "`, `")));
    text += plan_row("", fmt::format("{} rounds, at most {} bytes sent by a party, {} for the key",
                                     plan.encrypted->rounds, plan.encrypted->bytes_sent,
                                     plan.encrypted->key_bytes_sent));
  }
  text += "\n" + plan_row("rounds", fmt::format("{}", plan.rounds));
  text += plan_row("bytes sent", fmt::format("at most {} by a party, after the exchange of keys",
                                             plan.bytes_sent));
  text += plan_row("computing", plan_time_text(plan.compute_seconds) + " on this machine");
  text += plan.link_source.empty()
              ? plan_row("time",
                         "unknown: run `tacet party measure`, or give --latency and "
                         "--bandwidth")
              : plan_row("time", fmt::format("about {}; links {}", plan_time_text(plan.seconds),
                                             plan.link_source));
  text += plan_row("memory", fmt::format("about {:.0f} MB at each party",
                                         static_cast<double>(plan.memory_bytes) / 1e6));
  if (!plan.is_certain) {
    text += "\nThese costs depend on values that a run reveals: a run may cost more or less.\n";
  }
  return text;
}

auto plan_as_json(const RunPlan& plan) -> std::string {
  using Json = nlohmann::ordered_json;
  const auto receiver = [](const std::string& name) { return name.empty() ? Json() : Json(name); };
  Json json = {{"program", plan.program},
               {"protocol", plan.protocol},
               {"truncation", plan.truncation},
               {"correlations", receiver(plan.correlations)},
               {"parties", plan.parties},
               {"dealer", receiver(plan.dealer)},
               {"digest", receiver(plan.run_digest)},
               {"program_digest", receiver(plan.program_digest)}};
  json["inputs"] = Json::array();
  for (const RunPlan::Input& input : plan.inputs) {
    Json one = {{"name", input.name}, {"type", input.type}, {"from", receiver(input.supplier)}};
    if (input.supplier.empty()) {
      one["value"] = input.value;
    }
    json["inputs"].push_back(std::move(one));
  }
  json["results"] = Json::array();
  for (const RunPlan::Result& result : plan.results) {
    json["results"].push_back(
        {{"name", result.name}, {"type", result.type}, {"to", receiver(result.receiver)}});
  }
  json["reveals"] = Json::array();
  for (const RunPlan::Reveal& reveal : plan.reveals) {
    json["reveals"].push_back(
        {{"line", reveal.line}, {"type", reveal.type}, {"to", receiver(reveal.receiver)}});
  }
  json["links"] = Json::array();
  for (const RunPlan::Link& link : plan.links) {
    Json one = {{"from", link.a},
                {"to", link.b},
                {"bytes_there", link.bytes_there},
                {"bytes_back", link.bytes_back}};
    if (!plan.link_source.empty()) {
      one["latency_ms"] = link.latency_milliseconds;
      one["mbit_per_second"] = link.megabits > 0 ? Json(link.megabits) : Json();
      one["seconds"] = link.seconds;
    }
    json["links"].push_back(std::move(one));
  }
  if (plan.encrypted) {
    json["encrypted"] = {{"functions", plan.encrypted->names},
                         {"rounds", plan.encrypted->rounds},
                         {"bytes_sent", plan.encrypted->bytes_sent},
                         {"key_bytes_sent", plan.encrypted->key_bytes_sent},
                         {"seconds", plan.encrypted->seconds}};
  }
  json["rounds"] = plan.rounds;
  json["bytes_sent"] = plan.bytes_sent;
  json["instructions"] = plan.n_instructions;
  json["is_exact"] = plan.is_certain;
  json["compute_seconds"] = plan.compute_seconds;
  json["seconds"] = plan.link_source.empty() ? Json() : Json(plan.seconds);
  json["memory_bytes"] = plan.memory_bytes;
  return json.dump() + "\n";
}

}  // namespace tacet::cli
