#include "compiler/he/circuit/print.h"

#include <fmt/format.h>

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/names.h"
#include "compiler/he/circuit/node_facts.h"
#include "compiler/he/circuit/validate.h"
#include "engine/program/he/text.h"

namespace tacet::circuit {
namespace {

/// How strongly an expression holds together.
enum class Strength : uint8_t { Sum, Product, Atom };

class Printer {
 public:
  explicit Printer(const Circuit& circuit)
      : circuit_(circuit),
        names_(names_of(circuit)),
        is_loop_used_(circuit.loops.size()),
        n_uses_(circuit.nodes.size()),
        name_of_(circuit.nodes.size()) {}

  auto run() -> std::string;

 private:
  auto formulas(const std::vector<LoopFormula>& formulas) const -> std::string;
  auto formula(const LoopFormula& formula) const -> std::string {
    return formula_text(formula, [&](LoopId loop) { return names_.loops[loop.index]; });
  }
  void use_loops(const Node& node);
  void count_uses();
  /// The lines of shared nodes below this one that have none yet.
  void define_shared(NodeId id, std::string& text);
  auto expression(NodeId id) const -> std::string;
  auto inside(NodeId id, Strength least) const -> std::string;
  auto strength(NodeId id) const -> Strength;
  auto statement(const Statement& statement, size_t at) -> std::string;

  const Circuit& circuit_;
  CircuitNames names_;
  std::vector<bool> is_loop_used_;
  std::vector<uint32_t> n_uses_;
  std::vector<std::string> name_of_;  // of shared nodes
  size_t n_named_ = 0;
};

auto Printer::formulas(const std::vector<LoopFormula>& formulas) const -> std::string {
  std::string text;
  for (const LoopFormula& item : formulas) {
    text += (text.empty() ? "" : ", ") + formula(item);
  }
  return text.empty() ? text : fmt::format("[{}]", text);
}

void Printer::use_loops(const Node& node) {
  for (const LoopFormula& formula : node.formulas) {
    for (const LoopTerm& term : formula.terms) {
      is_loop_used_[term.loop.index] = true;
    }
  }
  if (node.loop.has_value()) {
    is_loop_used_[node.loop.index] = true;
  }
}

/// As operands of what a statement needs, and as roots.
void Printer::count_uses() {
  std::vector<bool> is_counted(circuit_.nodes.size());
  for (const Statement& statement : circuit_.statements) {
    for (const LoopId loop : statement.loops) {
      is_loop_used_[loop.index] = true;
    }
    std::vector<NodeId> open{statement.root};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      n_uses_[id.index] += 1;
      if (is_counted[id.index]) {
        continue;
      }
      is_counted[id.index] = true;
      use_loops(circuit_.nodes[id]);
      for (const NodeId operand : {circuit_.nodes[id].a, circuit_.nodes[id].b}) {
        if (operand.has_value()) {
          open.push_back(operand);
        }
      }
    }
  }
}

auto Printer::strength(NodeId id) const -> Strength {
  if (!name_of_[id.index].empty()) {
    return Strength::Atom;
  }
  const NodeKind kind = circuit_.nodes[id].kind;
  if (kind == NodeKind::Add || kind == NodeKind::Subtract) {
    return Strength::Sum;
  }
  return kind == NodeKind::Multiply ? Strength::Product : Strength::Atom;
}

auto Printer::inside(NodeId id, Strength least) const -> std::string {
  const std::string text = name_of_[id.index].empty() ? expression(id) : name_of_[id.index];
  return strength(id) < least ? fmt::format("({})", text) : text;
}

auto Printer::expression(NodeId id) const -> std::string {
  const Node& node = circuit_.nodes[id];
  switch (node.kind) {
    case NodeKind::Constant:
      return fmt::format("{}", node.number);
    case NodeKind::Input:
      return names_.families[node.family.index] + formulas(node.formulas);
    case NodeKind::Result:
      return names_.statements[node.statement] + formulas(node.formulas);
    case NodeKind::Add:
      return fmt::format("{} + {}", inside(node.a, Strength::Sum),
                         inside(node.b, Strength::Product));
    case NodeKind::Subtract:
      return fmt::format("{} - {}", inside(node.a, Strength::Sum),
                         inside(node.b, Strength::Product));
    case NodeKind::Multiply:
      return fmt::format("{} * {}", inside(node.a, Strength::Product),
                         inside(node.b, Strength::Atom));
    case NodeKind::Rotate:
      return fmt::format("rot({}, {})", inside(node.a, Strength::Sum), formula(node.formulas[0]));
    case NodeKind::SwapRows:
      return fmt::format("swap({})", inside(node.a, Strength::Sum));
    case NodeKind::Sum:
    case NodeKind::Product:
      return fmt::format("{}({}: {})", node.kind == NodeKind::Sum ? "sum" : "product",
                         names_.loops[node.loop.index], inside(node.a, Strength::Sum));
  }
  return {};
}

void Printer::define_shared(NodeId id, std::string& text) {
  const Node& node = circuit_.nodes[id];
  if (n_operands(node.kind) == 0 || !name_of_[id.index].empty()) {
    return;
  }
  for (const NodeId operand : {node.a, node.b}) {
    if (operand.has_value()) {
      define_shared(operand, text);
    }
  }
  if (n_uses_[id.index] > 1) {
    const std::string name = fmt::format("%{}", n_named_++);
    text += fmt::format("{} = {}\n", name, expression(id));
    name_of_[id.index] = name;
  }
}

auto Printer::statement(const Statement& statement, size_t at) -> std::string {
  std::string text;
  define_shared(statement.root, text);
  std::vector<LoopFormula> loops;
  for (const LoopId loop : statement.loops) {
    loops.push_back(loop_formula(loop));
  }
  const std::string bound =
      statement.bound == 0 ? std::string() : fmt::format(" within {}", statement.bound);
  return text + fmt::format("{}{}{} = {}\n", names_.statements[at], formulas(loops), bound,
                            inside(statement.root, Strength::Sum));
}

auto Printer::run() -> std::string {
  count_uses();
  engine::HeProgram program = declarations(circuit_, 65537);
  const std::vector<engine::HeOutput> outputs = std::exchange(program.outputs, {});
  engine::HeProgram with_outputs = program;
  program.registers.resize(circuit_.families.size());
  // What the engine's format says of header and body is not a circuit's.
  const auto lines_with = [](const engine::HeProgram& of,
                             std::initializer_list<const char*> begins) {
    std::string lines;
    bool is_wanted = false;
    const std::string text = engine::to_text(of);
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      const std::string_view line = std::string_view(text).substr(at, end - at);
      is_wanted = std::any_of(begins.begin(), begins.end(),
                              [&](const char* begin) { return line.rfind(begin, 0) == 0; }) ||
                  (is_wanted && line.rfind(' ', 0) == 0);
      lines += is_wanted ? std::string(line) + "\n" : "";
      at = end + 1;
    }
    return lines;
  };
  std::string text = fmt::format("circuit {} x {}\n", circuit_.n_rows, circuit_.n_columns);
  text += lines_with(program, {"input ", "constant ", "cipher ", "native "});
  for (size_t i = 0; i < circuit_.loops.size(); ++i) {
    if (!is_loop_used_[i]) {
      continue;
    }
    text += fmt::format("loop {}: {}\n", names_.loops[i], circuit_.loops.values()[i].extent);
  }
  text += "\n";
  for (size_t s = 0; s < circuit_.statements.size(); ++s) {
    text += statement(circuit_.statements[s], s);
  }
  with_outputs.outputs = outputs;
  return text + "\n" + lines_with(with_outputs, {"output "});
}

}  // namespace

auto node_label(const Circuit& circuit, const CircuitNames& names, const Node& node)
    -> std::string {
  const auto formula = [&](const LoopFormula& item) {
    return formula_text(item, [&](LoopId loop) { return names.loops[loop.index]; });
  };
  std::string formulas;
  for (const LoopFormula& item : node.formulas) {
    formulas += (formulas.empty() ? "" : ", ") + formula(item);
  }
  switch (node.kind) {
    case NodeKind::Constant:
      return fmt::format("{}", node.number);
    case NodeKind::Input:
      return fmt::format("{}[{}]", names.families[node.family.index], formulas);
    case NodeKind::Result:
      return fmt::format("{}[{}]", names.statements[node.statement], formulas);
    case NodeKind::Add:
      return "+";
    case NodeKind::Subtract:
      return "-";
    case NodeKind::Multiply:
      return "*";
    case NodeKind::Rotate:
      return fmt::format("rot {}", formulas);
    case NodeKind::SwapRows:
      return "swap";
    case NodeKind::Sum:
    case NodeKind::Product:
      return fmt::format("{} {}: {}", node.kind == NodeKind::Sum ? "sum" : "product",
                         names.loops[node.loop.index], circuit.loops[node.loop].extent);
  }
  return {};
}

auto to_text(const Circuit& circuit) -> std::string {
  return Printer(circuit).run();
}

auto to_dot(const Circuit& circuit) -> std::string {
  const CircuitNames names = names_of(circuit);
  const NodeFacts facts = node_facts(circuit);
  std::string text = "digraph circuit {\n  rankdir=BT;\n  node [shape=box];\n";
  for (size_t s = 0; s < circuit.statements.size(); ++s) {
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", s, names.statements[s]);
    for (size_t i = facts.order.first[s]; i < facts.order.first[s + 1]; ++i) {
      const NodeId id = facts.order.nodes[i];
      text += fmt::format("    n{} [label=\"{}\"{}];\n", id.index,
                          node_label(circuit, names, circuit.nodes[id]),
                          facts.is_cipher[id.index] ? ", style=bold" : "");
    }
    text += "  }\n";
  }
  for (const NodeId id : facts.order.nodes) {
    for (const NodeId operand : {circuit.nodes[id].a, circuit.nodes[id].b}) {
      if (operand.has_value()) {
        text += fmt::format("  n{} -> n{};\n", operand.index, id.index);
      }
    }
  }
  return text + "}\n";
}

}  // namespace tacet::circuit
