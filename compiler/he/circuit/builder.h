#pragma once

#include <unordered_map>

#include "compiler/he/circuit/formula.h"

namespace tacet::circuit {

struct NodeHash {
  auto operator()(const Node& node) const -> size_t;
};

/// Adds nodes to a circuit, each once: a node that is there already is found again. Identities that
/// never cost anything are applied while building: x + 0, x - 0, x * 1, x * 0, x - x, rotations by
/// nothing, two swaps, operations on constants (if the result is below 2^53), sums over one value.
/// Of a sum or product and the same with its operands exchanged the first that was built is used.
class Builder {
 public:
  /// Knows the nodes that are there. The circuit outlives the builder.
  explicit Builder(Circuit& circuit);

  auto constant(int64_t number) -> NodeId;
  auto input(FamilyId family, std::vector<LoopFormula> indices) -> NodeId;
  auto result(uint32_t statement, std::vector<LoopFormula> indices) -> NodeId;
  auto add(NodeId a, NodeId b) -> NodeId;
  auto subtract(NodeId a, NodeId b) -> NodeId;
  auto multiply(NodeId a, NodeId b) -> NodeId;
  /// To the left. Steps are brought near zero modulo the number of columns.
  auto rotate(NodeId a, LoopFormula steps) -> NodeId;
  auto swap_rows(NodeId a) -> NodeId;
  auto sum(LoopId loop, NodeId a) -> NodeId;
  auto product(LoopId loop, NodeId a) -> NodeId;

  /// Any node; its operands are there.
  auto node(const Node& node) -> NodeId;

  [[nodiscard]] auto circuit() const -> Circuit& { return *circuit_; }

 private:
  auto intern(Node node) -> NodeId;
  auto intern_commutative(NodeKind kind, NodeId a, NodeId b) -> NodeId;
  [[nodiscard]] auto number_of(NodeId id) const -> const int64_t*;
  auto reduce(NodeKind kind, LoopId loop, NodeId a) -> NodeId;

  Circuit* circuit_;
  std::unordered_map<Node, NodeId, NodeHash> ids_;
};

/// How many operands a node of this kind has: 0, 1 or 2.
auto n_operands(NodeKind kind) -> size_t;

}  // namespace tacet::circuit
