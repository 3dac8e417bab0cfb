#pragma once

#include "compiler/he/circuit/circuit.h"

/// What holds of the nodes of a circuit that is well formed (`validate.h`).
namespace tacet::circuit {

/// The nodes that a circuit needs in an order in which they can be computed: those that statement
/// `s` is the first to need are `nodes` from `first[s]` to before `first[s + 1]`, operands first.
struct NodeOrder {
  std::vector<NodeId> nodes;
  std::vector<size_t> first;
};
auto node_order(const Circuit& circuit) -> NodeOrder;

/// By node; what no statement needs has none of this.
struct NodeFacts {
  NodeOrder order;
  /// The loops on which its value depends, by id: the same vector serves all others.
  std::vector<std::vector<LoopId>> loops;
  std::vector<bool> is_cipher;  ///< the others are known in plaintext
  std::vector<bool> is_statement_cipher;
  /// Has the same number in all slots, as far as can be seen.
  std::vector<bool> is_uniform;
  std::vector<uint32_t> depth;  ///< products of ciphertexts on the longest path
};

/// Linear in the nodes times the loops that they depend on.
auto node_facts(const Circuit& circuit) -> NodeFacts;

/// Whether all slots of each element hold one number, as far as can be seen.
auto is_uniform(const Family& family) -> bool;

/// The number of values of these loops together.
auto n_values(const Circuit& circuit, const std::vector<LoopId>& loops) -> double;

/// How many levels a balanced tree of so many operands has.
auto tree_depth(int64_t n) -> uint32_t;

}  // namespace tacet::circuit
