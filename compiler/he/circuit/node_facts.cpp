#include "compiler/he/circuit/node_facts.h"

#include <algorithm>

#include "compiler/he/circuit/builder.h"

namespace tacet::circuit {
namespace {

using Loops = std::vector<LoopId>;

auto united(const Loops& a, const Loops& b) -> Loops {
  Loops result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

auto loops_of_formulas(const Node& node) -> Loops {
  Loops loops;
  for (const LoopFormula& formula : node.formulas) {
    for (const LoopTerm& term : formula.terms) {
      loops.push_back(term.loop);
    }
  }
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  return loops;
}

/// Fills in the facts of one node after another.
class Analysis {
 public:
  explicit Analysis(const Circuit& circuit) : circuit_(circuit) {
    const size_t n = circuit.nodes.size();
    facts_.order = node_order(circuit);
    facts_.loops.resize(n);
    facts_.is_cipher.resize(n);
    facts_.is_uniform.resize(n);
    facts_.depth.resize(n);
  }

  auto run() -> NodeFacts {
    for (size_t s = 0; s < circuit_.statements.size(); ++s) {
      for (size_t i = facts_.order.first[s]; i < facts_.order.first[s + 1]; ++i) {
        visit(facts_.order.nodes[i]);
      }
      const NodeId root = circuit_.statements[s].root;
      facts_.is_statement_cipher.push_back(facts_.is_cipher[root.index]);
    }
    return std::move(facts_);
  }

 private:
  void visit(NodeId id) {
    const Node& node = circuit_.nodes[id];
    const size_t at = id.index;
    switch (n_operands(node.kind)) {
      case 0:
        leaf(node, at);
        break;
      case 1:
        facts_.is_cipher[at] = facts_.is_cipher[node.a.index];
        facts_.is_uniform[at] = facts_.is_uniform[node.a.index];
        facts_.depth[at] = facts_.depth[node.a.index];
        facts_.loops[at] = united(facts_.loops[node.a.index], loops_of_formulas(node));
        break;
      default:
        facts_.is_cipher[at] = facts_.is_cipher[node.a.index] || facts_.is_cipher[node.b.index];
        facts_.is_uniform[at] = facts_.is_uniform[node.a.index] && facts_.is_uniform[node.b.index];
        facts_.depth[at] = std::max(facts_.depth[node.a.index], facts_.depth[node.b.index]);
        facts_.loops[at] = united(facts_.loops[node.a.index], facts_.loops[node.b.index]);
    }
    if (node.kind == NodeKind::Sum || node.kind == NodeKind::Product) {
      std::erase(facts_.loops[at], node.loop);
    }
    if (node.kind == NodeKind::Product && facts_.is_cipher[at]) {
      facts_.depth[at] += tree_depth(circuit_.loops[node.loop].extent);
    }
    if (node.kind == NodeKind::Multiply && facts_.is_cipher[node.a.index] &&
        facts_.is_cipher[node.b.index]) {
      facts_.depth[at] += 1;
    }
  }

  void leaf(const Node& node, size_t at) {
    facts_.loops[at] = loops_of_formulas(node);
    if (node.kind == NodeKind::Input) {
      facts_.is_cipher[at] = circuit_.families[node.family].is_cipher;
      facts_.is_uniform[at] = is_uniform(circuit_.families[node.family]);
    } else if (node.kind == NodeKind::Result) {
      const NodeId root = circuit_.statements[node.statement].root;
      facts_.is_cipher[at] = facts_.is_cipher[root.index];
      facts_.is_uniform[at] = facts_.is_uniform[root.index];
      facts_.depth[at] = facts_.depth[root.index];
    } else {
      facts_.is_uniform[at] = true;
    }
  }

  const Circuit& circuit_;
  NodeFacts facts_;
};

}  // namespace

auto node_order(const Circuit& circuit) -> NodeOrder {
  NodeOrder order;
  order.first.push_back(0);
  std::vector<bool> is_needed(circuit.nodes.size());
  for (const Statement& statement : circuit.statements) {
    const size_t begin = order.nodes.size();
    std::vector<NodeId> open{statement.root};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (is_needed[id.index]) {
        continue;
      }
      is_needed[id.index] = true;
      order.nodes.push_back(id);
      const Node& node = circuit.nodes[id];
      for (const NodeId operand : {node.a, node.b}) {
        if (operand.has_value()) {
          open.push_back(operand);
        }
      }
    }
    // Nodes follow their operands.
    std::sort(order.nodes.begin() + static_cast<ptrdiff_t>(begin), order.nodes.end());
    order.first.push_back(order.nodes.size());
  }
  return order;
}

auto node_facts(const Circuit& circuit) -> NodeFacts {
  return Analysis(circuit).run();
}

auto is_uniform(const Family& family) -> bool {
  // Rows and columns are numbered behind the family's dimensions.
  const auto is_same = [&](const engine::HeAffine& affine) {
    return std::all_of(affine.terms.begin(), affine.terms.end(),
                       [&](const auto& term) { return term.variable < family.dimensions.size(); });
  };
  return std::all_of(family.gathers.begin(), family.gathers.end(), [&](const auto& gather) {
    return gather.is_repeated && gather.outside && gather.digits.empty() &&
           std::all_of(gather.indices.begin(), gather.indices.end(),
                       [&](const auto& index) { return is_same(index.value); }) &&
           std::all_of(gather.guards.begin(), gather.guards.end(),
                       [&](const auto& guard) { return is_same(guard.value); });
  });
}

auto n_values(const Circuit& circuit, const std::vector<LoopId>& loops) -> double {
  double n = 1;
  for (const LoopId loop : loops) {
    n *= static_cast<double>(circuit.loops[loop].extent);
  }
  return n;
}

auto tree_depth(int64_t n) -> uint32_t {
  uint32_t depth = 0;
  while ((int64_t{1} << depth) < n) {
    ++depth;
  }
  return depth;
}

}  // namespace tacet::circuit
