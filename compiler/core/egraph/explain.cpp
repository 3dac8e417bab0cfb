#include "compiler/core/egraph/explain.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/check.h"

namespace tacet::egraph {
namespace {

class Explainer {
 public:
  Explainer(const EGraph& graph, size_t max_steps)
      : graph_(graph), max_steps_(max_steps), terms_(graph.n_ids()) {}

  auto run(NodeId a, NodeId b) -> std::optional<Explanation> {
    result_.first = term_of(a);
    result_.last = term_of(b);
    now_ = result_.first;
    seen_[now_] = 0;
    if (!go(a, b)) {
      return std::nullopt;
    }
    TACET_CHECK(now_ == result_.last, "the chain does not end at the target term");
    return std::move(result_);
  }

 private:
  /// Turns the part at `path_`, which is the term of `from`, into the term of `to`.
  auto go(NodeId from, NodeId to) -> bool {
    for (const ProofForest::Edge& edge : graph_.proofs().path(from, to)) {
      const bool is_done =
          edge.reason.kind == Reason::Kind::Congruence ? go_into(edge.from, edge.to) : step(edge);
      if (!is_done) {
        return false;
      }
    }
    return true;
  }

  /// Two nodes with one operator: child by child. Their children were equal before they were, so
  /// this ends.
  auto go_into(NodeId from, NodeId to) -> bool {
    const auto before = graph_.spelling(from);
    const auto after = graph_.spelling(to);
    for (uint32_t i = 0; i < before.size(); ++i) {
      path_.push_back(i);
      if (before[i] != after[i] && !go(NodeId{before[i].index}, NodeId{after[i].index})) {
        return false;
      }
      path_.pop_back();
    }
    return true;
  }

  auto step(const ProofForest::Edge& edge) -> bool {
    const TermId next = result_.terms.replace(now_, path_, term_of(edge.to));
    const auto [known, is_new] = seen_.try_emplace(next, result_.steps.size() + 1);
    if (is_new) {
      result_.steps.push_back({now_, next, path_, edge.reason, edge.reversed});
    } else {
      forget_from(known->second);
    }
    now_ = next;
    return result_.steps.size() <= max_steps_ && ++n_taken_ <= max_steps_ * 16;
  }

  /// Cuts out a detour.
  void forget_from(size_t n_steps) {
    while (result_.steps.size() > n_steps) {
      seen_.erase(result_.steps.back().after);
      result_.steps.pop_back();
    }
  }

  /// The term as which a node was spelled.
  auto term_of(NodeId node) -> TermId {
    if (terms_[node.index].has_value()) {
      return terms_[node.index];
    }
    std::vector<NodeId> stack{node};
    while (!stack.empty()) {
      const NodeId at = stack.back();
      std::vector<TermId> children;
      for (const ClassId child : graph_.spelling(at)) {
        if (!terms_[child.index].has_value()) {
          stack.push_back(NodeId{child.index});
        }
        children.push_back(terms_[child.index]);
      }
      if (stack.back() == at) {
        terms_[at.index] = result_.terms.add(graph_.node(at).op, children);
        stack.pop_back();
      }
    }
    return terms_[node.index];
  }

  const EGraph& graph_;
  size_t max_steps_;
  size_t n_taken_ = 0;
  std::vector<TermId> terms_;  // by node
  Explanation result_;
  TermId now_;
  std::vector<uint32_t> path_;
  std::unordered_map<TermId, size_t> seen_;  // a term of the chain → how many steps lead to it
};

void print_term(const TermBank& terms, TermId term, const OpSpelling& ops, std::string& out) {
  if (terms.children(term).empty()) {
    out += ops.print_op(terms.op(term));
    return;
  }
  out += '(';
  out += ops.print_op(terms.op(term));
  for (const TermId child : terms.children(term)) {
    out += ' ';
    print_term(terms, child, ops, out);
  }
  out += ')';
}

}  // namespace

auto explain(const EGraph& graph, ClassId a, ClassId b, const ExplainOptions& options)
    -> std::optional<Explanation> {
  TACET_CHECK(graph.has_explanations(), "this graph was built without explanations");
  if (!graph.are_equal(a, b)) {
    return std::nullopt;
  }
  return Explainer(graph, options.max_steps).run(NodeId{a.index}, NodeId{b.index});
}

auto print_explanation(const Explanation& explanation, std::span<const Rewrite> rewrites,
                       const OpSpelling& ops) -> std::string {
  std::string out;
  print_term(explanation.terms, explanation.first, ops, out);
  out += '\n';
  for (const ExplanationStep& step : explanation.steps) {
    const bool is_rule = step.reason.kind == Reason::Kind::Rule;
    out += fmt::format(
        "  {} {}", step.reversed ? "<=" : "=>",
        is_rule ? rewrites[step.reason.index].name : fmt::format("fact {}", step.reason.index));
    if (!step.path.empty()) {
      out += fmt::format(" at {}", fmt::join(step.path, "."));
    }
    out += '\n';
    print_term(explanation.terms, step.after, ops, out);
    out += '\n';
  }
  return out;
}

}  // namespace tacet::egraph
