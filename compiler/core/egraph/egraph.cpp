#include "compiler/core/egraph/egraph.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::egraph {

EGraph::EGraph(Explanations explanations) : explanations_(explanations) {}

auto EGraph::attach_hooks(std::unique_ptr<AnalysisHooks> hooks) -> uint32_t {
  TACET_CHECK(nodes_.empty(), "an analysis must see every node");
  wants_modify_ = wants_modify_ || hooks->wants_modify();
  return analyses_.add(std::move(hooks));
}

auto EGraph::find_canonical(OpId op, std::span<const ClassId> children, uint32_t hash) const
    -> NodeId {
  return hashcons_.find(hash, [&](NodeId id) {
    const ENode& node = nodes_[id.index];
    return node.op == op && node.n_children == children.size() &&
           std::equal(children.begin(), children.end(), children_.data() + node.first_child);
  });
}

auto EGraph::lookup(OpId op, std::span<const ClassId> children) const -> ClassId {
  constexpr size_t kFew = 8;
  ClassId few[kFew];
  std::vector<ClassId> many;
  ClassId* canonical = few;
  if (children.size() > kFew) {
    many.resize(children.size());
    canonical = many.data();
  }
  std::transform(children.begin(), children.end(), canonical,
                 [&](ClassId child) { return find(child); });
  const std::span<const ClassId> key(canonical, children.size());
  const NodeId found = find_canonical(op, key, hash_of_node(op, key));
  return found.has_value() ? find(ClassId{found.index}) : ClassId{};
}

auto EGraph::add(OpId op, std::span<const ClassId> children) -> ClassId {
  TACET_CHECK(op.has_value(), "a node needs an operator");
  if (has_explanations()) {
    return add_spelled(op, children);
  }
  canonical_.resize(children.size());
  std::transform(children.begin(), children.end(), canonical_.begin(),
                 [&](ClassId child) { return unions_.find_and_halve(child); });
  const uint32_t hash = hash_of_node(op, canonical_);
  if (const NodeId found = find_canonical(op, canonical_, hash); found.has_value()) {
    return unions_.find_and_halve(ClassId{found.index});
  }
  const NodeId id = new_node(op, canonical_, {}, NodeState::Member);
  hashcons_.insert(hash, id);
  return {id.index};
}

/// With explanations every spelling has an id of its own. One that is congruent to a known node
/// joins the class of that node with congruence as its reason, and plays no other part.
auto EGraph::add_spelled(OpId op, std::span<const ClassId> children) -> ClassId {
  const uint32_t spelled_hash = hash_of_node(op, children);
  const NodeId same = spellings_.find(spelled_hash, [&](NodeId id) {
    const ENode& node = nodes_[id.index];
    return node.op == op && node.n_children == children.size() &&
           std::equal(children.begin(), children.end(), spelled_.data() + node.first_child);
  });
  if (same.has_value()) {
    return {same.index};
  }
  canonical_.resize(children.size());
  std::transform(children.begin(), children.end(), canonical_.begin(),
                 [&](ClassId child) { return unions_.find_and_halve(child); });
  const uint32_t hash = hash_of_node(op, canonical_);
  const NodeId found = find_canonical(op, canonical_, hash);
  const NodeId id =
      new_node(op, canonical_, children, found.has_value() ? NodeState::Twin : NodeState::Member);
  spellings_.insert(spelled_hash, id);
  if (found.has_value()) {
    unions_.absorb(ClassId{id.index}, unions_.find_and_halve(ClassId{found.index}));
    proofs_.link(id, found, Reason::congruence(), false);
  } else {
    hashcons_.insert(hash, id);
  }
  return {id.index};
}

auto EGraph::new_node(OpId op, std::span<const ClassId> canonical, std::span<const ClassId> spelled,
                      NodeState state) -> NodeId {
  TACET_CHECK(nodes_.size() < UINT32_MAX, "too many nodes");
  const ClassId own = unions_.add();
  const NodeId id{own.index};
  const auto first_child = static_cast<uint32_t>(children_.size());
  nodes_.push_back({op, id, first_child, static_cast<uint32_t>(canonical.size())});
  state_.push_back(state);
  next_in_class_.push_back(id);
  uses_.add_class();
  index_.add_class();
  children_.insert(children_.end(), canonical.begin(), canonical.end());
  spelled_.insert(spelled_.end(), spelled.begin(), spelled.end());
  uses_.add_slots(children_.size(), id);
  if (has_explanations()) {
    proofs_.add_term();
  }
  if (state == NodeState::Twin) {
    for (const auto& hooks : analyses_) {
      hooks->make_nothing();
    }
    return id;
  }
  for (uint32_t slot = first_child; slot < children_.size(); ++slot) {
    uses_.add(children_[slot], slot);
  }
  ++n_classes_;
  for (const auto& hooks : analyses_) {
    hooks->make(*this, own, nodes_[id.index]);
  }
  changed_.add(own);
  queue_modify(own);
  return id;
}

void EGraph::queue_modify(ClassId id) {
  if (wants_modify_) {
    to_modify_.add(id);
  }
}

auto EGraph::merge(ClassId a, ClassId b, Reason reason) -> bool {
  const ClassId root_a = unions_.find_and_halve(a);
  const ClassId root_b = unions_.find_and_halve(b);
  if (root_a == root_b) {
    return false;
  }
  const ClassId kept = merge_roots(root_a, root_b);
  if (has_explanations()) {
    // The tree of the absorbed class is turned around: it has fewer users, so likely fewer terms.
    if (kept == root_b) {
      proofs_.link(NodeId{a.index}, NodeId{b.index}, reason, false);
    } else {
      proofs_.link(NodeId{b.index}, NodeId{a.index}, reason, true);
    }
  }
  return true;
}

/// Merges two classes and returns the one that stays: the one with more users, as only the users
/// of the other have to be rechecked; the older one if they have equally many.
auto EGraph::merge_roots(ClassId a, ClassId b) -> ClassId {
  const uint32_t uses_a = uses_.n_uses(a);
  const uint32_t uses_b = uses_.n_uses(b);
  if (uses_a < uses_b || (uses_a == uses_b && b < a)) {
    std::swap(a, b);
  }
  Absorbed absorbed{.id = b};
  bool facts_changed = false;
  for (const auto& hooks : analyses_) {
    const DidMerge did = hooks->merge(a, b);
    facts_changed = facts_changed || did.changed_into;
    absorbed.facts_changed = absorbed.facts_changed || did.changed_from;
  }
  unions_.absorb(b, a);
  std::swap(next_in_class_[a.index], next_in_class_[b.index]);
  absorbed_.push_back(absorbed);
  if (facts_changed) {
    facts_changed_.add(a);
  }
  changed_.add(a);
  queue_modify(a);
  --n_classes_;
  ++n_merges_;
  return a;
}

void EGraph::prune_to(ClassId id, OpId kept) {
  const ClassId root = find(id);
  const NodeId anchor{root.index};
  const auto prune = [&](NodeId node) {
    if (nodes_[node.index].op != kept && state_[node.index] == NodeState::Member) {
      state_[node.index] = NodeState::Pruned;
    }
  };
  prune(anchor);
  NodeId last = anchor;
  // What is pruned leaves the ring, so that pruning again costs what came in since.
  for (NodeId node = next_in_class_[anchor.index]; node != anchor;
       node = next_in_class_[node.index]) {
    prune(node);
    if (state_[node.index] == NodeState::Member) {
      next_in_class_[last.index] = node;
      last = node;
    }
  }
  next_in_class_[last.index] = anchor;
  changed_.add(root);
}

auto EGraph::classes() const -> std::vector<ClassId> {
  std::vector<ClassId> result;
  result.reserve(n_classes_);
  for (uint32_t index = 0; index < unions_.size(); ++index) {
    if (is_class(ClassId{index})) {
      result.push_back(ClassId{index});
    }
  }
  return result;
}

auto EGraph::users(ClassId id) const -> std::vector<NodeId> {
  std::vector<NodeId> result;
  uses_.for_each(find(id), [&](NodeId user) {
    if (state_[user.index] != NodeState::Twin) {
      result.push_back(user);
    }
  });
  return result;
}

auto EGraph::spelling(NodeId id) const -> std::span<const ClassId> {
  TACET_CHECK(has_explanations(), "spellings are kept only with explanations");
  const ENode& node = nodes_[id.index];
  return {spelled_.data() + node.first_child, node.n_children};
}

}  // namespace tacet::egraph
