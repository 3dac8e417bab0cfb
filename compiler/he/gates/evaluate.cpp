#include "compiler/he/gates/evaluate.h"

#include "base/check.h"

namespace tacet::gates {

auto evaluate_gates(const Graph& graph, std::span<const uint64_t> inputs) -> std::vector<uint64_t> {
  std::vector<uint64_t> values(graph.gates.size(), 0);
  size_t next = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Gate& gate = graph.gates[i];
    const auto operand = [&](size_t k) {
      const Signal signal = gate.operands[k];
      return signal.is_inverted() ? ~values[signal.gate()] : values[signal.gate()];
    };
    switch (gate.kind) {
      case GateKind::Constant:
        break;
      case GateKind::Input:
        TACET_CHECK(next < inputs.size(), "a word for each input bit");
        values[i] = inputs[next++];
        break;
      case GateKind::Majority:
      case GateKind::Parity:
      case GateKind::XorAnd:
      case GateKind::Sum:
        values[i] = applied(gate.kind, operand(0), operand(1), operand(2));
        break;
    }
  }
  return values;
}

auto evaluate(const Graph& graph, std::span<const uint64_t> inputs) -> std::vector<uint64_t> {
  const std::vector<uint64_t> values = evaluate_gates(graph, inputs);
  std::vector<uint64_t> outputs;
  for (const Bus& bus : graph.outputs) {
    for (const Signal bit : bus.bits) {
      outputs.push_back(bit.is_inverted() ? ~values[bit.gate()] : values[bit.gate()]);
    }
  }
  return outputs;
}

auto evaluate_words(const Graph& graph, std::span<const uint64_t> inputs) -> std::vector<uint64_t> {
  TACET_CHECK(inputs.size() == graph.inputs.size(), "a number for each input");
  std::vector<uint64_t> bits;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t k = 0; k < graph.inputs[i].bits.size(); ++k) {
      bits.push_back(inputs[i] >> k & 1U);
    }
  }
  const std::vector<uint64_t> values = evaluate(graph, bits);
  std::vector<uint64_t> outputs;
  size_t next = 0;
  for (const Bus& bus : graph.outputs) {
    uint64_t word = 0;
    for (size_t k = 0; k < bus.bits.size(); ++k) {
      word |= (values[next++] & 1U) << k;
    }
    outputs.push_back(word);
  }
  return outputs;
}

}  // namespace tacet::gates
