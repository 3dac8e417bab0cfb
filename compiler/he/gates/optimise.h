#pragma once

#include "compiler/he/gates/graph.h"

namespace tacet::gates {

/// The same functions with fewer gates, never with more. Cones of gates over four bits are replaced
/// by smaller ones where that frees more gates than it makes (Mishchenko, Chatterjee and Brayton,
/// "DAG-aware AIG rewriting", DAC 2006, on XOR-majority graphs), until nothing gets smaller, or a
/// large circuit hardly does, or `most_rounds` are over; once, trees of parities and conjunctions
/// are balanced, where that costs less or makes the circuit less deep. Gates that replace another
/// have its origin. Deterministic; O(gates) a round.
auto optimise(Graph graph, size_t most_rounds = 8) -> Graph;

}  // namespace tacet::gates
