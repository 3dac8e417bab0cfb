#include "compiler/he/gates/rebuilding.h"

namespace tacet::gates {

Rebuilding::Rebuilding(const Graph& graph)
    : from(graph), n_uses(graph.gates.size(), 0), signals(graph.gates.size()) {
  for (const Gate& gate : graph.gates) {
    for (const Signal operand : gate.operands) {
      ++n_uses[operand.gate()];
    }
  }
  for (const Bus& output : graph.outputs) {
    for (const Signal bit : output.bits) {
      ++n_uses[bit.gate()];
    }
  }
}

auto Rebuilding::copied(const Gate& gate) -> Signal {
  return builder.gate(gate.kind,
                      {moved(gate.operands[0]), moved(gate.operands[1]), moved(gate.operands[2])});
}

void Rebuilding::make_inputs() {
  for (const Bus& input : from.inputs) {
    const std::vector<Signal> bits = builder.input(input.name, input.bits.size());
    for (size_t k = 0; k < bits.size(); ++k) {
      signals[input.bits[k].gate()] = bits[k];
    }
  }
}

void Rebuilding::make_outputs() {
  for (const Bus& output : from.outputs) {
    std::vector<Signal> bits;
    for (const Signal bit : output.bits) {
      bits.push_back(moved(bit));
    }
    builder.output(output.name, std::move(bits));
  }
}

}  // namespace tacet::gates
