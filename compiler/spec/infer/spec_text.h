#pragma once

#include <string>

#include "compiler/spec/infer/spec_graph.h"

namespace tacet::infer {

/// A node as a person would call it: its name, or the expression as it is written.
auto spec_node_text(const SpecGraph& spec, const syntax::Tree& tree, const Interner& interner,
                    SpecNodeId node) -> std::string;

}  // namespace tacet::infer
