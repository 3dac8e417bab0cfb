#include "engine/distribution/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace tacet::engine::distribution {
namespace {

auto milliseconds(double microseconds) -> std::string {
  return fmt::format("{:.3g} ms", microseconds / 1000);
}

auto megabytes(uint64_t bytes) -> std::string {
  return fmt::format("{:.3g} MB", static_cast<double>(bytes) / 1e6);
}

auto plural(size_t n, std::string_view word) -> std::string {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

auto value_line(const WorkGraph& graph, const Share& share, uint32_t node) -> std::string {
  const WorkNode& work = graph.nodes[node];
  std::string line = fmt::format("  %{} = {}", node, work.text);
  for (const uint32_t operand : work.operands) {
    if (operand != kNone) {
      line += fmt::format(" %{}", operand);
    }
  }
  std::vector<uint32_t> to;
  for (const Sending& sending : share.sendings) {
    if (sending.node == node) {
      to.push_back(sending.to);
    }
  }
  return line + (to.empty() ? "\n" : fmt::format(" -> {}\n", fmt::join(to, ", ")));
}

}  // namespace

auto to_text(const WorkGraph& graph, const Distribution& distribution, const Machines& machines,
             bool is_detailed) -> std::string {
  const Prediction prediction = predict(graph, distribution, machines);
  const double alone = std::accumulate(prediction.work_microseconds.begin(),
                                       prediction.work_microseconds.end(), 0.0);
  std::string text = fmt::format(
      "{} of {}, {:g} Gbit/s, {:g} us\n"
      "predicted {}, total work {}, imbalance {:.1f} %\n"
      "{}, {}; keys {}\n",
      plural(machines.n_ranks, "rank"), plural(machines.n_threads, "thread"),
      machines.bytes_per_second * 8e-9, machines.latency_microseconds,
      milliseconds(prediction.microseconds), milliseconds(alone), 100 * prediction.imbalance(),
      plural(prediction.n_messages, "message"), megabytes(prediction.bytes),
      megabytes(prediction.key_bytes));
  for (uint32_t rank = 0; rank < distribution.shares.size(); ++rank) {
    const Share& share = distribution.shares[rank];
    size_t n_operations = 0;
    for (const uint32_t node : share.nodes) {
      n_operations += graph.nodes[node].is_input ? 0 : 1;
    }
    std::vector<std::string_view> keys;
    for (const uint32_t key : share.keys) {
      keys.push_back(graph.keys[key].name);
    }
    text += fmt::format("\nrank {}: {}, {}, keys: {}\n", rank, plural(n_operations, "operation"),
                        milliseconds(prediction.work_microseconds[rank]),
                        keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
    for (const uint32_t node : share.nodes) {
      text += is_detailed ? value_line(graph, share, node) : std::string();
    }
  }
  return text;
}

}  // namespace tacet::engine::distribution
