#include "compiler/he/gates/graph.h"

#include <algorithm>

namespace tacet::gates {

auto n_bootstraps(const Graph& graph) -> size_t {
  return static_cast<size_t>(
      std::count_if(graph.gates.begin(), graph.gates.end(),
                    [](const Gate& gate) { return is_bootstrapped(gate.kind); }));
}

auto levels_of(const Graph& graph) -> std::vector<uint32_t> {
  std::vector<uint32_t> levels(graph.gates.size(), 0);
  for (size_t i = 0; i < graph.gates.size(); ++i) {
    const Gate& gate = graph.gates[i];
    if (is_gate(gate.kind)) {
      for (const Signal operand : gate.operands) {
        levels[i] = std::max(levels[i], levels[operand.gate()]);
      }
      levels[i] += is_bootstrapped(gate.kind) ? 1 : 0;
    }
  }
  return levels;
}

auto depth(const Graph& graph) -> uint32_t {
  const std::vector<uint32_t> levels = levels_of(graph);
  uint32_t most = 0;
  for (const Bus& output : graph.outputs) {
    for (const Signal bit : output.bits) {
      most = std::max(most, levels[bit.gate()]);
    }
  }
  return most;
}

auto level_sizes(const Graph& graph) -> std::vector<uint32_t> {
  std::vector<uint32_t> sizes;
  const std::vector<uint32_t> levels = levels_of(graph);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (is_bootstrapped(graph.gates[i].kind)) {
      sizes.resize(std::max<size_t>(sizes.size(), levels[i]), 0);
      ++sizes[levels[i] - 1];
    }
  }
  return sizes;
}

auto without_unused(const Graph& graph) -> Graph {
  std::vector<bool> is_used(graph.gates.size(), false);
  is_used[0] = true;
  for (const std::vector<Bus>* buses : {&graph.inputs, &graph.outputs}) {
    for (const Bus& bus : *buses) {
      for (const Signal bit : bus.bits) {
        is_used[bit.gate()] = true;
      }
    }
  }
  for (size_t i = graph.gates.size(); i-- > 0;) {
    if (is_used[i] && is_gate(graph.gates[i].kind)) {
      for (const Signal operand : graph.gates[i].operands) {
        is_used[operand.gate()] = true;
      }
    }
  }
  Graph result;
  result.gates.clear();
  std::vector<uint32_t> place(graph.gates.size(), 0);
  const auto moved = [&](Signal signal) {
    return Signal{place[signal.gate()], signal.is_inverted()};
  };
  for (size_t i = 0; i < graph.gates.size(); ++i) {
    if (!is_used[i]) {
      continue;
    }
    place[i] = static_cast<uint32_t>(result.gates.size());
    Gate gate = graph.gates[i];
    std::transform(gate.operands.begin(), gate.operands.end(), gate.operands.begin(), moved);
    result.gates.push_back(gate);
  }
  result.inputs = graph.inputs;
  result.outputs = graph.outputs;
  for (std::vector<Bus>* buses : {&result.inputs, &result.outputs}) {
    for (Bus& bus : *buses) {
      std::transform(bus.bits.begin(), bus.bits.end(), bus.bits.begin(), moved);
    }
  }
  return result;
}

}  // namespace tacet::gates
