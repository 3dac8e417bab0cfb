#pragma once

#include <string>

#include "base/result.h"
#include "compiler/he/circuit/circuit.h"
#include "compiler/he/circuit/names.h"

namespace tacet::circuit {

/// A valid circuit as text, the same for equal circuits: declarations as in programs of the engine,
/// loops that are used, then statements.
///
///     circuit 2 x 64
///     input matrix[16, 16] from server
///     input vector[16] from client
///     cipher x = vector[j] over (j:16) repeat
///     native diagonal[i:16] = matrix[j, (i + j) mod 16] over (j:16) repeat
///     loop i: 16
///
///     y = sum(i: rot(x, i) * diagonal[i])
///
///     output result[16] over (j:16) [j] = y at 0, j
///
/// The other operations are `swap(x)` and `product(i: x)`. What is used more than once has a line
/// of its own, `%7 = …`, before the statement that is the first to use it. Numbers that no sum of
/// loops gives are `{0, 3, 1}[i]`.
auto to_text(const Circuit& circuit) -> std::string;

/// Reads such a text, in which each statement has one line; the circuit is valid, and prints as the
/// same text if that was printed. An error says in which line.
auto parse_circuit(std::string_view text) -> Result<Circuit>;

/// What a node does, in a word or two: `rot 2*i`, `points[i]`, `sum i: 4`.
auto node_label(const Circuit& circuit, const CircuitNames& names, const Node& node) -> std::string;

/// The nodes as a graph for Graphviz, statements as frames.
auto to_dot(const Circuit& circuit) -> std::string;

}  // namespace tacet::circuit
