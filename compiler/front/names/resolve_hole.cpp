#include <algorithm>

#include "compiler/front/names/resolver.h"

// `???;` in a coordinator function stands for statements that are still to be written. A name that
// is used behind it and declared nowhere is a variable of those statements.

namespace tacet::names {

void Resolver::hole_statement(Node hole) {
  unset_.clear();  // whatever fills the hole may set everything
  if (kind_ != BodyKind::Coordinator) {
    return;
  }
  for (uint32_t i = hole.index(); i-- > 0;) {
    if (tree_.nodes[i].kind == NodeKind::Block && node(i).subtree_end() > hole.index()) {
      open_holes_.push_back({hole.index(), node(i).subtree_end()});
      return;
    }
  }
}

/// Gives an unknown name to the hole that declares it: the last one in front of it that all its
/// uses stand behind. False if there is no such hole.
auto Resolver::declare_by_hole(Node name) -> bool {
  auto sees = [&](uint32_t scope_end) { return name.index() < scope_end; };
  for (const HoleLocal& known : hole_locals_) {
    if (known.name == name.text() && sees(known.scope_end)) {
      set(name, Meaning::Local, known.local);
      return true;
    }
  }
  if (std::none_of(open_holes_.begin(), open_holes_.end(),
                   [&](const OpenHole& hole) { return sees(hole.scope_end); })) {
    return false;
  }
  uint32_t last_use = name.index();
  for (uint32_t i = name.index(); i < tree_.nodes.size(); ++i) {
    if (tree_.nodes[i].kind == NodeKind::Identifier && node(i).text() == name.text()) {
      last_use = i;
    }
  }
  for (size_t i = open_holes_.size(); i-- > 0;) {
    const OpenHole hole = open_holes_[i];
    if (!sees(hole.scope_end) || last_use >= hole.scope_end) {
      continue;
    }
    const auto ordinal = static_cast<uint32_t>(
        std::count_if(hole_locals_.begin(), hole_locals_.end(),
                      [&](const HoleLocal& known) { return known.hole == hole.node; }));
    const uint32_t local = add_local(Node(), LocalKind::Let, ordinal, hole.node);
    result_.names.locals[local].name = interner_.intern(name.text());
    result_.names.locals[local].node = hole.node;
    hole_locals_.push_back({name.text(), hole.node, hole.scope_end, local});
    set(name, Meaning::Local, local);
    return true;
  }
  return false;
}

}  // namespace tacet::names
