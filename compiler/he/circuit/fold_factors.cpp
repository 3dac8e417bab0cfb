#include "compiler/he/circuit/fold_factors.h"

#include <algorithm>

#include "compiler/he/circuit/node_facts.h"
#include "compiler/he/circuit/rebuild.h"

namespace tacet::circuit {
namespace {

class Folding {
 public:
  explicit Folding(const Circuit& circuit) : circuit_(circuit), facts_(node_facts(circuit)) {
    n_uses_.resize(circuit.nodes.size());
    for (const NodeId id : facts_.order.nodes) {
      const Node& node = circuit.nodes[id];
      for (const NodeId operand : {node.a, node.b}) {
        if (operand.has_value()) {
          ++n_uses_[operand.index];
        }
      }
    }
    for (const Statement& statement : circuit.statements) {
      ++n_uses_[statement.root.index];
    }
  }

  auto run() const -> Circuit {
    std::vector<NodeId> made(circuit_.nodes.size());
    return rebuilt(circuit_, [&](Builder& builder, NodeId id, const Node& node) {
      const Node& old = circuit_.nodes[id];
      NodeId result;
      for (const auto& [factor, sum] : {std::pair(old.a, old.b), std::pair(old.b, old.a)}) {
        if (!result.has_value() && old.kind == NodeKind::Multiply && is_factor(factor) &&
            is_cipher(sum) && n_uses_[sum.index] == 1 && can_take(factor, sum)) {
          result = times(builder, made[factor.index], sum, made);
        }
      }
      made[id.index] = result.has_value() ? result : builder.node(node);
      return made[id.index];
    });
  }

 private:
  [[nodiscard]] auto is_cipher(NodeId id) const -> bool { return facts_.is_cipher[id.index]; }
  [[nodiscard]] auto is_factor(NodeId id) const -> bool {
    return !is_cipher(id) && facts_.is_uniform[id.index];
  }

  /// Whether a factor can be multiplied into the plaintexts of a sum, and no level is needed for
  /// it.
  [[nodiscard]] auto can_take(NodeId factor, NodeId id) const -> bool {
    const Node& node = circuit_.nodes[id];
    const auto part = [&](NodeId operand) {
      return !is_cipher(operand) || (n_uses_[operand.index] == 1 && can_take(factor, operand));
    };
    switch (node.kind) {
      case NodeKind::Multiply:
        return is_cipher(node.a) != is_cipher(node.b);
      case NodeKind::Add:
      case NodeKind::Subtract:
        return part(node.a) && part(node.b);
      case NodeKind::Rotate:
      case NodeKind::SwapRows:
        return part(node.a);
      case NodeKind::Sum: {
        const std::vector<LoopId>& loops = facts_.loops[factor.index];
        return std::find(loops.begin(), loops.end(), node.loop) == loops.end() && part(node.a);
      }
      case NodeKind::Constant:
      case NodeKind::Input:
      case NodeKind::Result:
      case NodeKind::Product:
        return false;
    }
    return false;
  }

  /// The product of what can take the factor; `made` are the nodes of the new circuit.
  auto times(Builder& builder, NodeId factor, NodeId id, const std::vector<NodeId>& made) const
      -> NodeId {
    Node node = circuit_.nodes[id];
    if (!is_cipher(id)) {
      return builder.multiply(made[id.index], factor);
    }
    if (node.kind == NodeKind::Multiply) {
      const NodeId cipher = is_cipher(node.a) ? node.a : node.b;
      const NodeId plain = is_cipher(node.a) ? node.b : node.a;
      return builder.multiply(made[cipher.index], builder.multiply(made[plain.index], factor));
    }
    node.a = times(builder, factor, node.a, made);
    if (node.b.has_value()) {
      node.b = times(builder, factor, node.b, made);
    }
    return builder.node(node);
  }

  const Circuit& circuit_;
  NodeFacts facts_;
  std::vector<size_t> n_uses_;
};

}  // namespace

auto fold_factors(const Circuit& circuit) -> Circuit {
  return compacted(Folding(circuit).run());
}

}  // namespace tacet::circuit
