#include <algorithm>

#include "compiler/core/egraph/explain.h"

namespace tacet::egraph {

auto TermBank::add(OpId op, std::span<const TermId> children) -> TermId {
  uint64_t hash = hash_combine(1, op.index);
  for (const TermId child : children) {
    hash = hash_combine(hash, child.index);
  }
  const auto short_hash = static_cast<uint32_t>(hash);
  const NodeId known = table_.find(short_hash, [&](NodeId id) {
    const Node& node = nodes_[id.index];
    return node.op == op && node.n_children == children.size() &&
           std::equal(children.begin(), children.end(), children_.data() + node.first_child);
  });
  if (known.has_value()) {
    return {known.index};
  }
  const auto index = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(
      {op, static_cast<uint32_t>(children_.size()), static_cast<uint32_t>(children.size())});
  children_.insert(children_.end(), children.begin(), children.end());
  table_.insert(short_hash, NodeId{index});
  return {index};
}

auto TermBank::replace(TermId term, std::span<const uint32_t> path, TermId part) -> TermId {
  if (path.empty()) {
    return part;
  }
  const std::span<const TermId> old = children(term);
  std::vector<TermId> changed(old.begin(), old.end());
  changed[path.front()] = replace(changed[path.front()], path.subspan(1), part);
  return add(op(term), changed);
}

auto TermBank::part(TermId term, std::span<const uint32_t> path) const -> TermId {
  for (const uint32_t position : path) {
    if (position >= children(term).size()) {
      return {};
    }
    term = children(term)[position];
  }
  return term;
}

}  // namespace tacet::egraph
