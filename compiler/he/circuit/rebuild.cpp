#include "compiler/he/circuit/rebuild.h"

#include "compiler/he/circuit/node_facts.h"

namespace tacet::circuit {
namespace {

class Substitution {
 public:
  Substitution(Builder& builder, LoopId loop, const LoopFormula& by)
      : builder_(builder), loop_(loop), by_(by) {}

  auto of(NodeId id) -> NodeId {
    const auto known = known_.find(id);
    if (known != known_.end()) {
      return known->second;
    }
    Node node = builder_.circuit().nodes[id];
    for (LoopFormula& formula : node.formulas) {
      formula = substitute(formula, loop_, by_);
    }
    if (node.a.has_value()) {
      node.a = of(node.a);
    }
    if (node.b.has_value()) {
      node.b = of(node.b);
    }
    const NodeId made = builder_.node(node);
    known_.emplace(id, made);
    return made;
  }

 private:
  Builder& builder_;
  LoopId loop_;
  const LoopFormula& by_;
  std::unordered_map<NodeId, NodeId> known_;
};

}  // namespace

auto rebuilt(const Circuit& circuit, const Remake& remake) -> Circuit {
  Circuit result = circuit;
  result.nodes = {};
  Builder builder(result);
  std::vector<NodeId> made(circuit.nodes.size());
  for (const NodeId id : node_order(circuit).nodes) {
    Node node = circuit.nodes[id];
    node.a = node.a.has_value() ? made[node.a.index] : NodeId{};
    node.b = node.b.has_value() ? made[node.b.index] : NodeId{};
    made[id.index] = remake(builder, id, node);
  }
  for (Statement& statement : result.statements) {
    statement.root = made[statement.root.index];
  }
  return result;
}

auto compacted(const Circuit& circuit) -> Circuit {
  return rebuilt(circuit,
                 [](Builder& builder, NodeId, const Node& node) { return builder.node(node); });
}

auto substituted(Builder& builder, NodeId id, LoopId loop, const LoopFormula& by) -> NodeId {
  return Substitution(builder, loop, by).of(id);
}

}  // namespace tacet::circuit
