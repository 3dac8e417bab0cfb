#include "compiler/he/circuit/share.h"

#include <deque>
#include <limits>

namespace tacet::circuit {
namespace {

using egraph::Choice;
using egraph::ClassId;
using egraph::EGraph;
using egraph::ENode;
using egraph::NodeId;

/// The classes that a choice needs, by id, with what each costs by itself.
using Needed = std::vector<std::pair<uint32_t, double>>;

class Extractor {
 public:
  Extractor(const EGraph& graph, const egraph::NodeCost& cost)
      : graph_(graph), cost_(cost), best_(graph.n_ids()), is_queued_(graph.n_ids()) {}

  auto run(size_t max_steps) -> Choice {
    for (const ClassId id : graph_.classes()) {
      for (const ENode& node : graph_.nodes(id)) {
        if (node.n_children == 0) {
          queue(node.id);
        }
      }
    }
    for (size_t step = 0; step < max_steps && !queue_.empty(); ++step) {
      const NodeId id = queue_.front();
      queue_.pop_front();
      is_queued_[id.index] = false;
      consider(id);
    }
    Choice choice;
    for (const Best& best : best_) {
      choice.node_of.push_back(best.node);
    }
    return choice;
  }

 private:
  struct Best {
    double total = std::numeric_limits<double>::infinity();
    NodeId node;
    Needed needed;
  };

  void queue(NodeId id) {
    if (!is_queued_[id.index]) {
      is_queued_[id.index] = true;
      queue_.push_back(id);
    }
  }

  void consider(NodeId id) {
    const ENode& node = graph_.node(id);
    const ClassId owner = graph_.find(ClassId{id.index});
    Needed needed;
    for (const ClassId operand : graph_.children(node)) {
      const Best& best = best_[graph_.find(operand).index];
      if (!best.node.has_value()) {
        return;
      }
      add(best.needed, needed);
    }
    double total = cost_(node);
    Needed self{{owner.index, total}};
    for (const auto& [needed_id, cost] : needed) {
      if (needed_id == owner.index) {
        return;
      }
      total += cost;
    }
    Best& best = best_[owner.index];
    if (total >= best.total) {
      return;
    }
    add(self, needed);
    best = {.total = total, .node = id, .needed = std::move(needed)};
    for (const NodeId user : graph_.users(owner)) {
      if (graph_.is_member(user)) {
        queue(user);
      }
    }
  }

  /// What both need; of those in both, what `into` said.
  static void add(const Needed& from, Needed& into) {
    Needed both;
    both.reserve(from.size() + into.size());
    size_t i = 0;
    for (const auto& item : into) {
      for (; i < from.size() && from[i].first < item.first; ++i) {
        both.push_back(from[i]);
      }
      i += i < from.size() && from[i].first == item.first ? 1 : 0;
      both.push_back(item);
    }
    both.insert(both.end(), from.begin() + static_cast<ptrdiff_t>(i), from.end());
    into = std::move(both);
  }

  const EGraph& graph_;
  const egraph::NodeCost& cost_;
  std::vector<Best> best_;  // by class
  std::deque<NodeId> queue_;
  std::vector<bool> is_queued_;  // by node
};

/// Whether choices are made for all that the roots need, and none needs itself.
class Walk {
 public:
  Walk(const EGraph& graph, const Choice& choice)
      : graph_(graph), choice_(choice), state_(graph.n_ids(), State::New) {}

  auto is_finite(ClassId id) -> bool {
    State& state = state_[graph_.find(id).index];
    if (state != State::New) {
      return state == State::Done;
    }
    state = State::Open;
    const NodeId node = choice_.of(graph_, id);
    if (!node.has_value()) {
      return false;
    }
    for (const ClassId operand : graph_.children(graph_.node(node))) {
      if (!is_finite(operand)) {
        return false;
      }
    }
    state_[graph_.find(id).index] = State::Done;
    return true;
  }

 private:
  enum class State : uint8_t { New, Open, Done };

  const EGraph& graph_;
  const Choice& choice_;
  std::vector<State> state_;  // by class
};

}  // namespace

auto extract_shared(const EGraph& graph, std::span<const ClassId> roots,
                    const egraph::NodeCost& cost, size_t max_steps) -> std::optional<Choice> {
  Choice choice = Extractor(graph, cost).run(max_steps);
  Walk walk(graph, choice);
  for (const ClassId root : roots) {
    if (!walk.is_finite(root)) {
      return std::nullopt;
    }
  }
  return choice;
}

}  // namespace tacet::circuit
