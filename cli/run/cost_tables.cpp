#include "cli/run/cost_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tacet::cli {

namespace {

/// What the instructions of one operation took, or inputs and outputs, which nothing counts.
struct OperationCost {
  std::string operation;
  uint64_t n_runs = 0;
  uint64_t bytes = 0;
  double seconds = 0;
};

/// By operation: those that sent the most come first.
auto operations_of(const MpcCosts& costs) -> std::vector<OperationCost> {
  std::vector<OperationCost> operations;
  for (const mpc::OperationTime& time : costs.operations) {
    operations.push_back({time.operation, time.n_runs, 0, time.seconds});
  }
  for (const mpc::LabelTraffic& label : costs.traffic) {
    if (label.depth != 0) {
      continue;
    }
    // `12: total_4 = mul`; or `input`, which is no instruction.
    const size_t equals = label.name.rfind(" = ");
    const std::string name =
        equals == std::string::npos ? label.name : label.name.substr(equals + 3);
    auto at = std::find_if(operations.begin(), operations.end(),
                           [&](const OperationCost& each) { return each.operation == name; });
    if (at == operations.end()) {
      at = operations.insert(at, OperationCost{.operation = name});
    }
    at->bytes += label.bytes;
  }
  std::stable_sort(operations.begin(), operations.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return operations;
}

}  // namespace

auto operation_table(const MpcCosts& costs) -> std::string {
  std::string text;
  for (const OperationCost& cost : operations_of(costs)) {
    text += cost.n_runs > 0
                ? fmt::format("  {:<18} {:>12} {:>14} {:>10.6f} s\n", cost.operation, cost.n_runs,
                              cost.bytes, cost.seconds)
                : fmt::format("  {:<18} {:>12} {:>14}\n", cost.operation, "", cost.bytes);
  }
  return text.empty() ? text
                      : fmt::format("\n  {:<18} {:>12} {:>14} {:>12}\n", "operation", "runs",
                                    "bytes sent", "time") +
                            text;
}

auto mpc_link_table(const MpcCosts& costs) -> std::string {
  std::string text;
  for (const MpcLink& link : costs.links) {
    text +=
        fmt::format("  {:<18} {:>12} {:>14}\n", link.peer, link.bytes_sent, link.bytes_received);
  }
  return text.empty()
             ? text
             : fmt::format("\n  {:<18} {:>12} {:>14}\n", "link to", "bytes there", "bytes back") +
                   text;
}

auto mpc_links_as_json(const MpcCosts& costs) -> std::string {
  std::vector<std::string> rows;
  for (const MpcLink& link : costs.links) {
    rows.push_back(fmt::format(R"({{"party":"{}","bytes_sent":{},"bytes_received":{}}})", link.peer,
                               link.bytes_sent, link.bytes_received));
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

auto operations_as_json(const MpcCosts& costs) -> std::string {
  std::vector<std::string> rows;
  for (const OperationCost& cost : operations_of(costs)) {
    rows.push_back(fmt::format(R"({{"operation":"{}","runs":{},"bytes_sent":{},"seconds":{:.6f}}})",
                               cost.operation, cost.n_runs, cost.bytes, cost.seconds));
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

auto instruction_table(const MpcCosts& costs) -> std::string {
  std::string text;
  for (const mpc::LabelTraffic& label : costs.traffic) {
    if (label.depth == 0 && label.rounds > 0) {
      text += fmt::format("  {:<40} {:>8} {:>14}\n", label.name, label.rounds, label.bytes);
    }
  }
  return text.empty() ? text
                      : fmt::format("\n  {:<40} {:>8} {:>14}\n", "line: instruction", "rounds",
                                    "bytes sent") +
                            text;
}

auto lines_as_json(const MpcCosts& costs) -> std::string {
  std::vector<std::string> rows;
  for (const mpc::LabelTraffic& label : costs.traffic) {
    if (label.depth == 0 && label.rounds > 0) {
      rows.push_back(fmt::format(R"({{"line":"{}","rounds":{},"bytes_sent":{}}})", label.name,
                                 label.rounds, label.bytes));
    }
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

auto rank_table(const HeCosts& costs) -> std::string {
  std::string text;
  for (size_t rank = 0; rank < costs.ranks.size(); ++rank) {
    const RankCosts& cost = costs.ranks[rank];
    text += fmt::format("  {:<4} {:<20} {:>10} {:>10.6f} s {:>10.2f} MB {:>10.2f} MB\n", rank,
                        cost.host, cost.n_operations, cost.work_seconds,
                        static_cast<double>(cost.bytes_sent) / 1e6,
                        static_cast<double>(cost.key_bytes) / 1e6);
  }
  return text.empty() ? text
                      : fmt::format("\n  {:<4} {:<20} {:>10} {:>12} {:>13} {:>13}\n", "rank",
                                    "host", "operations", "work", "sent", "keys") +
                            text;
}

auto ranks_as_json(const HeCosts& costs) -> std::string {
  std::vector<std::string> rows;
  for (const RankCosts& cost : costs.ranks) {
    rows.push_back(fmt::format(
        R"({{"host":{},"operations":{},"work_seconds":{:.6f},"bytes_sent":{},"key_bytes":{}}})",
        nlohmann::json(cost.host).dump(), cost.n_operations, cost.work_seconds, cost.bytes_sent,
        cost.key_bytes));
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

}  // namespace tacet::cli
