#pragma once

#include <string>

#include "compiler/he/gates/graph.h"

namespace tacet::gates {

/// One gate a line, for people and tests: `g7 = maj(a[0], !b[3], g4)`, `g8 = xor(g4, g7)`; AND and
/// OR are majorities with a constant. Words are `name[bit]`.
auto print(const Graph& graph) -> std::string;

/// The Berkeley Logic Interchange Format, which other tools for circuits read.
auto print_blif(const Graph& graph, const std::string& name) -> std::string;

/// A drawing for Graphviz; inverted edges end in a circle.
auto print_graphviz(const Graph& graph, const std::string& name) -> std::string;

}  // namespace tacet::gates
