#include "compiler/he/circuit/hoist.h"

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/node_facts.h"

namespace tacet::circuit {
namespace {

class Hoister {
 public:
  explicit Hoister(const Circuit& circuit)
      : circuit_(circuit),
        facts_(node_facts(circuit)),
        result_(circuit),
        is_hoisted_(circuit.nodes.size()),
        made_(circuit.nodes.size()) {
    result_.nodes = {};
    result_.statements.clear();
  }

  auto run() -> Circuit {
    find_hoisted();
    Builder builder(result_);
    for (size_t s = 0; s < circuit_.statements.size(); ++s) {
      for (size_t i = facts_.order.first[s]; i < facts_.order.first[s + 1]; ++i) {
        make(builder, facts_.order.nodes[i]);
      }
      Statement statement = circuit_.statements[s];
      statement.root = made_[statement.root.index];
      number_of_.push_back(static_cast<uint32_t>(result_.statements.size()));
      result_.statements.push_back(std::move(statement));
    }
    for (Output& output : result_.outputs) {
      output.statement = number_of_[output.statement];
    }
    return std::move(result_);
  }

 private:
  void find_hoisted() {
    for (const NodeId id : facts_.order.nodes) {
      const Node& node = circuit_.nodes[id];
      for (const NodeId operand : {node.a, node.b}) {
        if (operand.has_value() && facts_.is_cipher[id.index] && !facts_.is_cipher[operand.index] &&
            n_operands(circuit_.nodes[operand].kind) > 0) {
          is_hoisted_[operand.index] = true;
        }
      }
    }
  }

  void make(Builder& builder, NodeId id) {
    Node node = circuit_.nodes[id];
    node.a = node.a.has_value() ? made_[node.a.index] : NodeId{};
    node.b = node.b.has_value() ? made_[node.b.index] : NodeId{};
    if (node.kind == NodeKind::Result) {
      node.statement = number_of_[node.statement];
    }
    NodeId made = builder.node(node);
    if (is_hoisted_[id.index] && n_operands(builder.circuit().nodes[made].kind) > 0) {
      const auto statement = static_cast<uint32_t>(result_.statements.size());
      result_.statements.push_back(
          {.name = "clear", .loops = facts_.loops[id.index], .root = made});
      std::vector<LoopFormula> indices;
      for (const LoopId loop : facts_.loops[id.index]) {
        indices.push_back(loop_formula(loop));
      }
      made = builder.result(statement, std::move(indices));
    }
    made_[id.index] = made;
  }

  const Circuit& circuit_;
  NodeFacts facts_;
  Circuit result_;
  std::vector<bool> is_hoisted_;     // by node
  std::vector<NodeId> made_;         // by node
  std::vector<uint32_t> number_of_;  // by statement: what it is now
};

}  // namespace

auto hoist_clear(const Circuit& circuit) -> Circuit {
  return Hoister(circuit).run();
}

}  // namespace tacet::circuit
