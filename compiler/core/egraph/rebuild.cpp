// Restoring what merging broke: congruence first (egg, section 3), then the facts of analyses
// (section 4), until neither changes; then the index for matching, of the classes that changed.

#include <algorithm>

#include "base/check.h"
#include "compiler/core/egraph/egraph.h"

namespace tacet::egraph {

auto EGraph::rebuild() -> size_t {
  const size_t n_merges_before = n_merges_;
  for (size_t next_absorbed = 0;;) {
    if (next_absorbed < absorbed_.size()) {
      absorb_uses(absorbed_[next_absorbed++]);
    } else if (!facts_changed_.is_empty()) {
      spread_facts(unions_.find_and_halve(facts_changed_.take()));
    } else if (!to_modify_.is_empty()) {
      const ClassId id = to_modify_.take();
      for (const auto& hooks : analyses_) {
        hooks->modify(*this, unions_.find_and_halve(id));
      }
    } else {
      break;
    }
  }
  absorbed_.clear();

  // Work lists come in the order of merges; classes are indexed in the order of their ids.
  std::vector<ClassId> changed;
  while (!changed_.is_empty()) {
    changed.push_back(unions_.find_and_halve(changed_.take()));
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const ClassId id : changed) {
    index_.update(id, collect_members(id), unions_);
  }
  index_.compact(unions_);
  return n_merges_ - n_merges_before;
}

/// Hands the uses of an absorbed class over to the class that absorbed it. The nodes that use it
/// look different now, and may have become congruent to others.
void EGraph::absorb_uses(Absorbed absorbed) {
  index_.remove(absorbed.id);
  uses_.take_each(absorbed.id, [&](uint32_t slot, NodeId user) {
    if (state_[user.index] != NodeState::Twin && canonicalise(user)) {
      uses_.add(unions_.find_and_halve(children_[slot]), slot);
      if (absorbed.facts_changed) {
        remake(user);
      }
    }
  });
}

/// Writes the node in terms of classes as they are now. If it is then congruent to another one,
/// merges their classes, lets go of this one, and returns false.
auto EGraph::canonicalise(NodeId id) -> bool {
  const ENode node = nodes_[id.index];
  const std::span<ClassId> children(children_.data() + node.first_child, node.n_children);
  if (std::all_of(children.begin(), children.end(),
                  [&](ClassId child) { return is_class(child); })) {
    return true;
  }
  hashcons_.erase(hash_of_node(node.op, children), id);
  for (ClassId& child : children) {
    child = unions_.find_and_halve(child);
  }
  const uint32_t hash = hash_of_node(node.op, children);
  const NodeId twin = find_canonical(node.op, children, hash);
  if (!twin.has_value()) {
    hashcons_.insert(hash, id);
    return true;
  }
  state_[id.index] = NodeState::Twin;
  merge(ClassId{id.index}, ClassId{twin.index}, Reason::congruence());
  changed_.add(unions_.find_and_halve(ClassId{id.index}));
  return false;
}

/// Lets a node speak again after facts of its children changed.
void EGraph::remake(NodeId id) {
  const ClassId root = unions_.find_and_halve(ClassId{id.index});
  bool changed = false;
  for (const auto& hooks : analyses_) {
    changed = hooks->remake(*this, root, nodes_[id.index]) || changed;
  }
  if (changed) {
    facts_changed_.add(root);
    queue_modify(root);
  }
}

void EGraph::spread_facts(ClassId id) {
  uses_.for_each(id, [&](NodeId user) {
    if (state_[user.index] != NodeState::Twin) {
      remake(user);
    }
  });
}

/// The members of a class, sorted; leaves out of its ring what is no member any more.
auto EGraph::collect_members(ClassId id) -> std::span<const ENode> {
  collected_.clear();
  NodeId last{id.index};
  NodeId at = next_in_class_[id.index];
  const auto take = [&](NodeId node) {
    if (state_[node.index] == NodeState::Member) {
      collected_.push_back(nodes_[node.index]);
    }
  };
  take(last);
  while (at.index != id.index) {
    take(at);
    if (state_[at.index] == NodeState::Member) {
      next_in_class_[last.index] = at;
      last = at;
    }
    at = next_in_class_[at.index];
  }
  next_in_class_[last.index] = NodeId{id.index};
  std::sort(collected_.begin(), collected_.end(), [](const ENode& a, const ENode& b) {
    return a.op != b.op ? a.op < b.op : a.id < b.id;
  });
  return collected_;
}

}  // namespace tacet::egraph
