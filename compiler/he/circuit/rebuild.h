#pragma once

#include <functional>

#include "compiler/he/circuit/builder.h"

/// Circuits made from circuits.
namespace tacet::circuit {

/// Makes a node of the new circuit in place of node `id` of the old one, of which `node` is a copy
/// whose operands are of the new circuit.
using Remake = std::function<NodeId(Builder& builder, NodeId id, const Node& node)>;

/// The circuit with all the nodes that it needs made anew.
auto rebuilt(const Circuit& circuit, const Remake& remake) -> Circuit;

/// Without nodes that no statement needs.
auto compacted(const Circuit& circuit) -> Circuit;

/// What a node is if a loop has the value of an affine formula. The loop is bound nowhere in it.
auto substituted(Builder& builder, NodeId id, LoopId loop, const LoopFormula& by) -> NodeId;

}  // namespace tacet::circuit
