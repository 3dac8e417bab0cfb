#include "compiler/he/gates/print.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace tacet::gates {

namespace {

/// By gate: what it is called.
auto names_of(const Graph& graph) -> std::vector<std::string> {
  std::vector<std::string> names(graph.gates.size());
  names[0] = "0";
  for (const Bus& bus : graph.inputs) {
    for (size_t k = 0; k < bus.bits.size(); ++k) {
      names[bus.bits[k].gate()] =
          bus.bits.size() == 1 ? bus.name : fmt::format("{}[{}]", bus.name, k);
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (is_gate(graph.gates[i].kind)) {
      names[i] = fmt::format("g{}", i);
    }
  }
  return names;
}

auto text(const std::vector<std::string>& names, Signal signal) -> std::string {
  if (signal.is_constant()) {
    return signal.is_inverted() ? "1" : "0";
  }
  return (signal.is_inverted() ? "!" : "") + names[signal.gate()];
}

struct Shape {
  std::string_view name;
  size_t first_operand;
};

auto shape_of(const Gate& gate) -> Shape {
  if (gate.kind == GateKind::XorAnd) {
    return {"xor_and", 0};
  }
  const bool has_constant = gate.operands[0].is_constant();
  if (gate.kind != GateKind::Majority) {
    return {gate.kind == GateKind::Sum ? "sum" : "xor", has_constant ? 1U : 0U};
  }
  if (!has_constant) {
    return {"maj", 0};
  }
  return {gate.operands[0].is_inverted() ? "or" : "and", 1};
}

/// The rows of a cover: the values of the operands for which the gate is set.
auto cover(const Gate& gate, size_t first) -> std::string {
  std::string rows;
  const size_t n = 3 - first;
  for (unsigned row = 0; row < 1U << n; ++row) {
    std::array<unsigned, 3> values = {first == 1 && gate.operands[0].is_inverted() ? 1U : 0U, 0, 0};
    for (size_t k = 0; k < n; ++k) {
      values[first + k] = (row >> k & 1U) ^ (gate.operands[first + k].is_inverted() ? 1U : 0U);
    }
    if (applied(gate.kind, values[0], values[1], values[2]) != 0) {
      for (size_t k = 0; k < n; ++k) {
        rows += (row >> k & 1U) != 0 ? '1' : '0';
      }
      rows += " 1\n";
    }
  }
  return rows;
}

}  // namespace

auto print(const Graph& graph) -> std::string {
  const std::vector<std::string> names = names_of(graph);
  std::string out;
  for (const Bus& bus : graph.inputs) {
    out += fmt::format("input {}: {}\n", bus.name, bus.bits.size());
  }
  for (size_t i = 0; i < graph.gates.size(); ++i) {
    const Gate& gate = graph.gates[i];
    if (!is_gate(gate.kind)) {
      continue;
    }
    const Shape shape = shape_of(gate);
    out += fmt::format("{} = {}(", names[i], shape.name);
    for (size_t k = shape.first_operand; k < 3; ++k) {
      out += (k == shape.first_operand ? "" : ", ") + text(names, gate.operands[k]);
    }
    out += ")\n";
  }
  for (const Bus& bus : graph.outputs) {
    out += fmt::format("output {} =", bus.name);
    for (const Signal bit : bus.bits) {
      out += " " + text(names, bit);
    }
    out += '\n';
  }
  return out;
}

auto print_blif(const Graph& graph, const std::string& name) -> std::string {
  const std::vector<std::string> names = names_of(graph);
  std::string out = fmt::format(".model {}\n.inputs", name);
  for (const Bus& bus : graph.inputs) {
    for (const Signal bit : bus.bits) {
      out += " " + names[bit.gate()];
    }
  }
  out += "\n.outputs";
  const auto output_name = [](const Bus& bus, size_t k) {
    return bus.bits.size() == 1 ? bus.name : fmt::format("{}[{}]", bus.name, k);
  };
  for (const Bus& bus : graph.outputs) {
    for (size_t k = 0; k < bus.bits.size(); ++k) {
      out += " " + output_name(bus, k);
    }
  }
  out += '\n';
  for (size_t i = 0; i < graph.gates.size(); ++i) {
    const Gate& gate = graph.gates[i];
    if (is_gate(gate.kind)) {
      const size_t first = shape_of(gate).first_operand;
      out += ".names";
      for (size_t k = first; k < 3; ++k) {
        out += " " + names[gate.operands[k].gate()];
      }
      out += fmt::format(" {}\n{}", names[i], cover(gate, first));
    }
  }
  for (const Bus& bus : graph.outputs) {
    for (size_t k = 0; k < bus.bits.size(); ++k) {
      const Signal bit = bus.bits[k];
      if (bit.is_constant()) {
        out += fmt::format(".names {}\n{}", output_name(bus, k), bit == kTrue ? "1\n" : "");
      } else {
        out += fmt::format(".names {} {}\n{} 1\n", names[bit.gate()], output_name(bus, k),
                           bit.is_inverted() ? '0' : '1');
      }
    }
  }
  return out + ".end\n";
}

auto print_graphviz(const Graph& graph, const std::string& name) -> std::string {
  const std::vector<std::string> names = names_of(graph);
  std::string out = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n", name);
  const auto edge = [&](Signal from, const std::string& to) {
    if (!from.is_constant()) {
      out += fmt::format("  \"{}\" -> \"{}\"{};\n", names[from.gate()], to,
                         from.is_inverted() ? " [arrowhead=odot]" : "");
    }
  };
  for (size_t i = 1; i < graph.gates.size(); ++i) {
    const Gate& gate = graph.gates[i];
    if (gate.kind == GateKind::Input) {
      out += fmt::format("  \"{}\" [shape=plaintext];\n", names[i]);
      continue;
    }
    out += fmt::format("  \"{}\" [label=\"{}\"];\n", names[i], shape_of(gate).name);
    for (const Signal operand : gate.operands) {
      edge(operand, names[i]);
    }
  }
  for (const Bus& bus : graph.outputs) {
    for (size_t k = 0; k < bus.bits.size(); ++k) {
      const std::string output = fmt::format("{} [{}]", bus.name, k);
      out += fmt::format("  \"{}\" [shape=plaintext];\n", output);
      edge(bus.bits[k], output);
    }
  }
  return out + "}\n";
}

}  // namespace tacet::gates
