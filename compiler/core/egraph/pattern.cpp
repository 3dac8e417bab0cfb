#include "compiler/core/egraph/pattern.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::egraph {

auto VarTable::id(std::string_view name) -> VarId {
  if (const VarId known = find(name); known.has_value()) {
    return known;
  }
  names_.emplace_back(name);
  return {size() - 1};
}

auto VarTable::find(std::string_view name) const -> VarId {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? VarId{} : VarId{static_cast<uint32_t>(found - names_.begin())};
}

auto Pattern::var(VarId id) -> Place {
  nodes_.push_back({.var = id, .op = {}});
  return root();
}

auto Pattern::node(OpId op, std::span<const Place> children) -> Place {
  for (const Place child : children) {
    TACET_CHECK(child < nodes_.size(), "a child comes before its parent");
  }
  nodes_.push_back({.var = {},
                    .op = op,
                    .first_child = static_cast<uint32_t>(children_.size()),
                    .n_children = static_cast<uint32_t>(children.size())});
  children_.insert(children_.end(), children.begin(), children.end());
  return root();
}

}  // namespace tacet::egraph
