#include "compiler/spec/infer/spec_text.h"

namespace tacet::infer {

auto spec_node_text(const SpecGraph& spec, const syntax::Tree& tree, const Interner& interner,
                    SpecNodeId node) -> std::string {
  const SpecNode& data = spec.nodes[node];
  if (data.name.has_value()) {
    return std::string(interner.text(data.name));
  }
  // White space and comments between the words of an expression are of no interest here.
  constexpr size_t kLongest = 60;
  std::string text;
  for (char c : syntax::Node(&tree, data.node).text()) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
    if (text.size() > kLongest) {
      return text + "…";
    }
  }
  return text;
}

}  // namespace tacet::infer
