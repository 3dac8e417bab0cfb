#include "compiler/core/egraph/unify.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"

namespace tacet::egraph {
namespace {

class Planner {
 public:
  Planner(const EGraph& graph, const UnifyRules& rules) : graph_(graph), rules_(rules) {}

  auto run(ClassId left, ClassId right) -> Unification {
    plan_.pairs.push_back({left, right});
    for (uint32_t next = 0; next < plan_.pairs.size() && !plan_.conflict; ++next) {
      unify(next);
    }
    return std::move(plan_);
  }

 private:
  /// Classes that the plan makes one.
  struct Group {
    ClassId parent;
    ClassId labelled;  // a member with a label
    NodeId rigid;      // a rigid node of a member
  };

  void unify(uint32_t pair) {
    const ClassId left = find(plan_.pairs[pair].left, pair);
    const ClassId right = find(plan_.pairs[pair].right, pair);
    if (left == right || plan_.conflict) {
      return;
    }
    Group& kept = groups_.at(left);
    Group& other = groups_.at(right);
    if (kept.labelled.has_value() && other.labelled.has_value() &&
        rules_.label(kept.labelled) != rules_.label(other.labelled)) {
      plan_.conflict = {.kind = Unification::Conflict::Kind::Labels,
                        .pair = pair,
                        .left = kept.labelled,
                        .right = other.labelled,
                        .left_node = kept.rigid,
                        .right_node = other.rigid};
      return;
    }
    other.parent = left;
    if (!kept.labelled.has_value()) {
      kept.labelled = other.labelled;
    }
    if (!kept.rigid.has_value()) {
      kept.rigid = other.rigid;
    } else if (other.rigid.has_value()) {
      unify_nodes(kept.rigid, other.rigid, pair);
    }
  }

  void unify_nodes(NodeId left, NodeId right, uint32_t pair) {
    UnifyRules::Pairs children;
    if (!pair_children(graph_.node(left), graph_.node(right), children)) {
      plan_.conflict = {.kind = Unification::Conflict::Kind::Nodes,
                        .pair = pair,
                        .left = graph_.find(ClassId{left.index}),
                        .right = graph_.find(ClassId{right.index}),
                        .left_node = left,
                        .right_node = right};
      return;
    }
    for (uint32_t i = 0; i < children.size(); ++i) {
      plan_.pairs.push_back({children[i].first, children[i].second, pair, i});
    }
  }

  auto pair_children(const ENode& left, const ENode& right, UnifyRules::Pairs& pairs) const
      -> bool {
    if (rules_.pair_children) {
      return rules_.pair_children(left, right, pairs);
    }
    if (left.op != right.op || left.n_children != right.n_children) {
      return false;
    }
    for (uint32_t i = 0; i < left.n_children; ++i) {
      pairs.emplace_back(graph_.children(left)[i], graph_.children(right)[i]);
    }
    return true;
  }

  /// The group of a class; a class that is seen for the first time becomes one, and its rigid
  /// nodes are unified among each other, as part of `pair`.
  auto find(ClassId id, uint32_t pair) -> ClassId {
    id = graph_.find(id);
    const auto [entry, is_new] = groups_.try_emplace(id);
    if (is_new) {
      entry->second.parent = id;
      if (rules_.label(id) != UnifyRules::kNoLabel) {
        entry->second.labelled = id;
      }
      for (const ENode& node : graph_.nodes(id)) {
        if (!rules_.is_rigid(node.op)) {
          continue;
        }
        if (!entry->second.rigid.has_value()) {
          entry->second.rigid = node.id;
        } else if (!plan_.conflict) {
          unify_nodes(entry->second.rigid, node.id, pair);
        }
      }
    }
    while (groups_.at(id).parent != id) {
      id = groups_.at(id).parent;
    }
    return id;
  }

  const EGraph& graph_;
  const UnifyRules& rules_;
  std::unordered_map<ClassId, Group> groups_;
  Unification plan_;
};

}  // namespace

auto Unification::path_to(uint32_t pair) const -> std::vector<uint32_t> {
  std::vector<uint32_t> path;
  for (uint32_t at = pair; pairs[at].cause != kNoCause; at = pairs[at].cause) {
    path.push_back(pairs[at].position);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

auto plan_unification(const EGraph& graph, ClassId left, ClassId right, const UnifyRules& rules)
    -> Unification {
  TACET_CHECK(graph.is_clean(), "unification needs a rebuilt graph");
  return Planner(graph, rules).run(left, right);
}

auto commit(EGraph& graph, const Unification& plan, Reason reason) -> bool {
  TACET_CHECK(!plan.conflict, "a plan with a conflict");
  bool changed = false;
  for (const Unification::Pair& pair : plan.pairs) {
    changed = graph.merge(pair.left, pair.right, reason) || changed;
  }
  graph.rebuild();
  return changed;
}

}  // namespace tacet::egraph
