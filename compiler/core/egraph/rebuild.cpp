// Restoring what merging broke: congruence first (egg, section 3), then the facts of analyses
// (section 4), until neither changes; then the index for matching, of the classes that changed.

#include <algorithm>

#include "base/check.h"
#include "compiler/core/egraph/egraph.h"

namespace tacet::egraph {

auto EGraph::rebuild() -> size_t {
  const size_t n_merges_before = n_merges_;
  size_t next_absorbed = 0;
  size_t next_fact = 0;
  size_t next_modify = 0;
  while (true) {
    if (next_absorbed < absorbed_.size()) {
      absorb_uses(absorbed_[next_absorbed++]);
    } else if (next_fact < facts_changed_.size()) {
      const ClassId id = facts_changed_[next_fact++];
      queued_[id.index] &= static_cast<uint8_t>(~kForFacts);
      spread_facts(find_and_halve(id));
    } else if (next_modify < to_modify_.size()) {
      const ClassId id = to_modify_[next_modify++];
      queued_[id.index] &= static_cast<uint8_t>(~kForModify);
      for (const auto& hooks : analyses_) {
        hooks->modify(*this, find_and_halve(id));
      }
    } else {
      break;
    }
  }
  absorbed_.clear();
  facts_changed_.clear();
  to_modify_.clear();

  // Work lists come in the order of merges; classes are indexed in the order of their ids.
  for (ClassId& id : changed_) {
    queued_[id.index] = 0;
    id = find_and_halve(id);
  }
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const ClassId id : changed_) {
    index_class(id);
  }
  changed_.clear();
  if (n_wasted_members_ > 1024 && n_wasted_members_ * 2 > members_.size()) {
    compact_members();
  }
  is_clean_ = true;
  return n_merges_ - n_merges_before;
}

/// Hands the uses of an absorbed class over to the class that absorbed it. The nodes that use it
/// look different now, and may have become congruent to others.
void EGraph::absorb_uses(Absorbed absorbed) {
  ClassRecord& record = classes_[absorbed.id.index];
  uint32_t slot = record.first_use;
  record.first_use = record.last_use = kNone;
  record.n_uses = 0;
  for (const ENode& member : std::span(members_).subspan(record.first_member, record.n_members)) {
    if (member.op.index < n_stale_with_.size()) {
      n_stale_with_[member.op.index] += 1;
    }
  }
  n_wasted_members_ += record.room;
  while (slot != kNone) {
    const uint32_t next = next_use_[slot];
    const NodeId user = slot_owner_[slot];
    if (state_[user.index] != NodeState::Twin && canonicalise(user)) {
      add_use(find_and_halve(children_[slot]), slot);
      if (absorbed.facts_changed) {
        remake(user);
      }
    }
    slot = next;
  }
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
  hashcons_.erase(hash_of(node.op, children), id);
  for (ClassId& child : children) {
    child = find_and_halve(child);
  }
  const uint32_t hash = hash_of(node.op, children);
  const NodeId twin = find_canonical(node.op, children, hash);
  if (!twin.has_value()) {
    hashcons_.insert(hash, id);
    return true;
  }
  state_[id.index] = NodeState::Twin;
  merge(ClassId{id.index}, ClassId{twin.index}, Reason::congruence());
  mark_changed(find_and_halve(ClassId{id.index}));
  return false;
}

/// Lets a node speak again after facts of its children changed.
void EGraph::remake(NodeId id) {
  const ClassId root = find_and_halve(ClassId{id.index});
  bool changed = false;
  for (const auto& hooks : analyses_) {
    changed = hooks->remake(*this, root, nodes_[id.index]) || changed;
  }
  if (changed) {
    queue_facts(root);
    queue_modify(root);
  }
}

void EGraph::spread_facts(ClassId id) {
  for (uint32_t slot = classes_[id.index].first_use; slot != kNone; slot = next_use_[slot]) {
    if (state_[slot_owner_[slot].index] != NodeState::Twin) {
      remake(slot_owner_[slot]);
    }
  }
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

void EGraph::index_class(ClassId id) {
  const std::span<const ENode> members = collect_members(id);
  ClassRecord& record = classes_[id.index];
  index_operators(id, {members_.data() + record.first_member, record.n_members}, members);
  if (members.size() < record.n_members) {
    record.has_lost_members = true;
  }
  store_members(record, members);
}

/// Adds the class to the lists of the operators that it gained.
void EGraph::index_operators(ClassId id, std::span<const ENode> before,
                             std::span<const ENode> now) {
  size_t old = 0;
  for (size_t at = 0; at < now.size(); ++at) {
    const OpId op = now[at].op;
    if (at > 0 && now[at - 1].op == op) {
      continue;
    }
    while (old < before.size() && before[old].op < op) {
      ++old;
    }
    if (old < before.size() && before[old].op == op) {
      continue;
    }
    if (op.index >= classes_with_.size()) {
      classes_with_.resize(op.index + 1);
      n_stale_with_.resize(op.index + 1);
    }
    std::vector<ClassId>& list = classes_with_[op.index];
    if (n_stale_with_[op.index] * 2 > list.size() + 16) {
      std::erase_if(list, [&](ClassId other) { return !is_class(other); });
      n_stale_with_[op.index] = 0;
    }
    // A class that lost its last node with this operator is still in the list.
    if (!classes_[id.index].has_lost_members ||
        std::find(list.begin(), list.end(), id) == list.end()) {
      list.push_back(id);
    }
  }
}

void EGraph::store_members(ClassRecord& record, std::span<const ENode> members) {
  if (members.size() > record.room) {
    n_wasted_members_ += record.room;
    record.first_member = static_cast<uint32_t>(members_.size());
    // A class that grew once will grow again.
    record.room =
        static_cast<uint32_t>(members.size() + (record.room == 0 ? 0 : members.size() / 2));
    members_.resize(members_.size() + record.room);
  }
  std::copy(members.begin(), members.end(), members_.begin() + record.first_member);
  record.n_members = static_cast<uint32_t>(members.size());
}

void EGraph::compact_members() {
  std::vector<ENode> compact;
  compact.reserve(members_.size() - n_wasted_members_);
  for (uint32_t index = 0; index < classes_.size(); ++index) {
    ClassRecord& record = classes_[index];
    if (!is_class(ClassId{index})) {
      record.n_members = record.room = 0;
      continue;
    }
    const auto first = members_.begin() + record.first_member;
    record.first_member = static_cast<uint32_t>(compact.size());
    compact.insert(compact.end(), first, first + record.n_members);
    record.room = record.n_members;
  }
  members_ = std::move(compact);
  n_wasted_members_ = 0;
}

}  // namespace tacet::egraph
