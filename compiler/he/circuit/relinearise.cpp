#include "compiler/he/circuit/relinearise.h"

#include "compiler/he/relinearise/place_by_cut.h"

namespace tacet::circuit {
namespace {

using relinearise::Graph;
using relinearise::Value;
using relinearise::ValueId;
using relinearise::ValueKind;

/// A value for each node: of those that are no ciphertexts, or not needed, nothing is asked.
class GraphMaker {
 public:
  GraphMaker(const Circuit& circuit, const NodeFacts& facts) : circuit_(circuit), facts_(facts) {
    for (uint32_t i = 0; i < circuit.nodes.size(); ++i) {
      graph_.values.add(Value{.costs = {.relinearisation = 0}});
    }
  }

  auto run() -> Graph {
    for (const NodeId id : facts_.order.nodes) {
      if (facts_.is_cipher[id.index] && circuit_.nodes[id].kind != NodeKind::Result) {
        graph_.values[ValueId{id.index}].costs.relinearisation =
            n_values(circuit_, facts_.loops[id.index]);
        add(id);
      }
    }
    return std::move(graph_);
  }

 private:
  /// Results are what they are results of.
  auto value_of(NodeId id) const -> ValueId {
    while (circuit_.nodes[id].kind == NodeKind::Result) {
      id = circuit_.statements[circuit_.nodes[id].statement].root;
    }
    return ValueId{id.index};
  }

  auto is_cipher(NodeId id) const -> bool { return id.has_value() && facts_.is_cipher[id.index]; }

  void add(NodeId id) {
    const Node& node = circuit_.nodes[id];
    Value& value = graph_.values[ValueId{id.index}];
    switch (node.kind) {
      case NodeKind::Rotate:
      case NodeKind::SwapRows:
        use_linearly(node.a);
        break;
      case NodeKind::Product:
        use_linearly(node.a);
        if (circuit_.loops[node.loop].extent > 1) {
          value.kind = ValueKind::Product;
          value.operands = {value_of(node.a), value_of(node.a)};
        }
        break;
      case NodeKind::Multiply:
        if (is_cipher(node.a) && is_cipher(node.b)) {
          value.kind = ValueKind::Product;
          value.operands = {value_of(node.a), value_of(node.b)};
          break;
        }
        [[fallthrough]];
      case NodeKind::Add:
      case NodeKind::Subtract:
      case NodeKind::Sum:
        value.kind = ValueKind::Sum;
        for (const NodeId operand : {node.a, node.b}) {
          if (is_cipher(operand)) {
            value.operands.push_back(value_of(operand));
          }
        }
        break;
      case NodeKind::Constant:
      case NodeKind::Input:
      case NodeKind::Result:
        break;
    }
  }

  void use_linearly(NodeId id) { graph_.values[value_of(id)].is_used_linearly = true; }

  const Circuit& circuit_;
  const NodeFacts& facts_;
  Graph graph_;
};

auto plan_of(const Graph& graph, Relinearisation how) -> relinearise::Plan {
  switch (how) {
    case Relinearisation::Fewest:
      return place_by_cut(graph, {});
    case Relinearisation::Lazy:
      return place_lazily(graph, {});
    case Relinearisation::Eager:
      return relinearise::place_eagerly(graph);
  }
  return {};
}

}  // namespace

auto place_relinearisations(const Circuit& circuit, const NodeFacts& facts, Relinearisation how)
    -> std::vector<bool> {
  return plan_of(GraphMaker(circuit, facts).run(), how).is_relinearised;
}

}  // namespace tacet::circuit
