#include "cli/run/mpc_trace.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/atomic_write.h"
#include "engine/program/mpc/text.h"

namespace tacet::cli {

using nlohmann::json;

namespace {

/// `mul > fmul > mul_trunc_ss: 1 round, 24 bytes`, by the label of the instruction.
auto stacks_of(const std::vector<mpc::LabelTraffic>& traffic)
    -> std::map<std::string, std::vector<std::string>> {
  std::map<std::string, std::vector<std::string>> stacks;
  std::vector<std::string> path;
  for (const mpc::LabelTraffic& label : traffic) {
    path.resize(label.depth);
    path.push_back(label.name);
    if (path.size() < 2) {
      continue;
    }
    std::string text;
    for (size_t i = 1; i < path.size(); ++i) {
      text += (i == 1 ? "" : " > ") + path[i];
    }
    stacks[path.front()].push_back(
        fmt::format("{}: {} rounds, {} bytes", text, label.rounds, label.bytes));
  }
  return stacks;
}

}  // namespace

auto write_mpc_trace(const std::string& path, std::span<const engine::MpcProgram> programs,
                     const std::vector<mpc::PartyResult>& results) -> Status {
  json events = json::array();
  for (size_t rank = 0; rank < results.size(); ++rank) {
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", rank},
                      {"args", {{"name", fmt::format("party {}", rank)}}}});
    const auto stacks = stacks_of(results[rank].traffic);
    uint64_t id = 0;
    for (const mpc::MachineEvent& event : results[rank].events) {
      const engine::MpcProgram& program = programs[event.program];
      const std::string label = mpc::label_of(program, event.instruction);
      const auto stack = stacks.find(label);
      json begin = {{"ph", "b"},
                    {"cat", "mpc"},
                    {"id", id},
                    {"pid", rank},
                    {"tid", 0},
                    {"name", label},
                    {"ts", event.begin_seconds * 1e6}};
      begin["args"] = {{"instruction", engine::instruction_text(program, event.instruction)},
                       {"line", program.code[event.instruction].line},
                       {"rounds", event.last_round - event.first_round},
                       {"first_round", event.first_round},
                       {"dispatch", stack == stacks.end() ? json::array() : json(stack->second)}};
      events.push_back(std::move(begin));
      events.push_back({{"ph", "e"},
                        {"cat", "mpc"},
                        {"id", id++},
                        {"pid", rank},
                        {"tid", 0},
                        {"name", label},
                        {"ts", event.end_seconds * 1e6}});
    }
  }
  return write_or_create(
      path, json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump() + "\n");
}

}  // namespace tacet::cli
