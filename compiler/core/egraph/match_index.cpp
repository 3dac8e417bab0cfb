#include "compiler/core/egraph/match_index.h"

#include <algorithm>

namespace tacet::egraph {

void MatchIndex::update(ClassId id, std::span<const ENode> members, const UnionFind& ids) {
  add_to_operators(id, members, ids);
  Record& record = records_[id.index];
  if (members.size() < record.n_members) {
    record.has_lost_members = true;
  }
  store(record, members);
}

void MatchIndex::remove(ClassId id) {
  for (const ENode& member : members(id)) {
    if (member.op.index < n_stale_with_.size()) {
      n_stale_with_[member.op.index] += 1;
    }
  }
  n_wasted_members_ += records_[id.index].room;
}

/// Adds the class to the lists of the operators that it gained.
void MatchIndex::add_to_operators(ClassId id, std::span<const ENode> now, const UnionFind& ids) {
  const std::span<const ENode> before = members(id);
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
      std::erase_if(list, [&](ClassId other) { return !ids.is_root(other); });
      n_stale_with_[op.index] = 0;
    }
    // A class that lost its last node with this operator is still in the list.
    if (!records_[id.index].has_lost_members ||
        std::find(list.begin(), list.end(), id) == list.end()) {
      list.push_back(id);
    }
  }
}

void MatchIndex::store(Record& record, std::span<const ENode> members) {
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

void MatchIndex::compact(const UnionFind& ids) {
  if (n_wasted_members_ <= 1024 || n_wasted_members_ * 2 <= members_.size()) {
    return;
  }
  std::vector<ENode> compact;
  compact.reserve(members_.size() - n_wasted_members_);
  for (uint32_t index = 0; index < records_.size(); ++index) {
    Record& record = records_[index];
    if (!ids.is_root(ClassId{index})) {
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

auto MatchIndex::members(ClassId id, OpId op) const -> std::span<const ENode> {
  const std::span<const ENode> all = members(id);
  constexpr size_t kFew = 12;
  const auto is_before = [](const ENode& node, OpId wanted) { return node.op < wanted; };
  auto first = all.begin();
  if (all.size() <= kFew) {
    while (first != all.end() && first->op < op) {
      ++first;
    }
  } else {
    first = std::lower_bound(all.begin(), all.end(), op, is_before);
  }
  auto last = first;
  while (last != all.end() && last->op == op) {
    ++last;
  }
  return {first, last};
}

}  // namespace tacet::egraph
