#pragma once

#include "compiler/circuit/node_facts.h"

namespace tacet::circuit {

/// Pass: place relinearisations
///
/// A product of ciphertexts has degree two, as has what is added to one. Factors and what is
/// rotated must have degree one; all else may stay as it is. Says, by node, whether its value is
/// relinearised once it is computed, so that as few relinearisations are done as can be, counted
/// for all values of loops. Products over a loop relinearise between their levels, which is not
/// told here.
///
/// With two degrees this is a minimum cut: nodes are degrees before and after a relinearisation,
/// those on the source's side are two. Of several best answers the one with the earliest
/// relinearisations is taken, which leaves the fewest values of degree two.
///
/// Before:                               After:
///   a * b + c * d; rotate it              relinearise the sum alone
///
/// Cost: a maximum flow (Dinic) over twice the nodes.
auto place_relinearisations(const Circuit& circuit, const NodeFacts& facts) -> std::vector<bool>;

}  // namespace tacet::circuit
