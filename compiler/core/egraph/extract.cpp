#include "compiler/core/egraph/extract.h"

#include "base/check.h"

namespace tacet::egraph {

auto chosen_nodes(const EGraph& graph, const Choice& choice, std::span<const ClassId> roots)
    -> std::vector<NodeId> {
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> states(graph.n_ids());
  std::vector<NodeId> result;
  std::vector<ClassId> stack;
  for (const ClassId root : roots) {
    stack.push_back(graph.find(root));
    while (!stack.empty()) {
      const ClassId id = stack.back();
      State& state = states[id.index];
      if (state == State::Done) {
        stack.pop_back();
        continue;
      }
      const NodeId node = choice.node_of[id.index];
      TACET_CHECK(node.has_value(), "no node was chosen for a required class");
      if (state == State::Open) {
        state = State::Done;
        result.push_back(node);
        stack.pop_back();
        continue;
      }
      state = State::Open;
      for (const ClassId child : graph.children(graph.node(node))) {
        TACET_CHECK(states[child.index] != State::Open, "the choice has a cycle");
        stack.push_back(child);
      }
    }
  }
  return result;
}

}  // namespace tacet::egraph
