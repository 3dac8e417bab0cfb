#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/resolver.h"

// `???;` in a coordinator function stands for statements that are still to be written. A name that
// is used behind it and declared nowhere is a variable of those statements.

namespace tacet::names {

void device_hole(Resolver& resolver, Node hole) {
  if (resolver.kind == BodyKind::Device) {
    resolver.report.add(DiagnosticCode::T6042, hole.range(), "a hole in a device function")
        .note("`tacet fill` and code actions search for what computes its specification");
  }
}

void hole_statement(Resolver& resolver, Node hole) {
  resolver.unset.clear();  // whatever fills the hole may set everything
  device_hole(resolver, hole);
  if (resolver.kind != BodyKind::Coordinator) {
    return;
  }
  for (uint32_t i = hole.index(); i-- > 0;) {
    if (resolver.tree.nodes[i].kind == NodeKind::Block &&
        node_at(resolver, i).subtree_end() > hole.index()) {
      resolver.open_holes.push_back({hole.index(), node_at(resolver, i).subtree_end()});
      return;
    }
  }
}

/// Gives an unknown name to the hole that declares it: the last one in front of it that all its
/// uses follow. False if there is no such hole.
auto declare_by_hole(Resolver& resolver, Node name) -> bool {
  auto sees = [&](uint32_t scope_end) { return name.index() < scope_end; };
  for (const HoleLocal& known : resolver.hole_locals) {
    if (known.name == name.text() && sees(known.scope_end)) {
      set(resolver, name, Meaning::Local, known.local);
      return true;
    }
  }
  if (std::none_of(resolver.open_holes.begin(), resolver.open_holes.end(),
                   [&](const OpenHole& hole) { return sees(hole.scope_end); })) {
    return false;
  }
  uint32_t last_use = name.index();
  for (uint32_t i = name.index(); i < resolver.tree.nodes.size(); ++i) {
    if (resolver.tree.nodes[i].kind == NodeKind::Identifier &&
        node_at(resolver, i).text() == name.text()) {
      last_use = i;
    }
  }
  for (size_t i = resolver.open_holes.size(); i-- > 0;) {
    const OpenHole hole = resolver.open_holes[i];
    if (!sees(hole.scope_end) || last_use >= hole.scope_end) {
      continue;
    }
    const auto ordinal = static_cast<uint32_t>(
        std::count_if(resolver.hole_locals.begin(), resolver.hole_locals.end(),
                      [&](const HoleLocal& known) { return known.hole == hole.node; }));
    const uint32_t local = add_local(resolver, Node(), LocalKind::Let, ordinal, hole.node);
    resolver.result.names.locals[local].name = resolver.interner.intern(name.text());
    resolver.result.names.locals[local].node = hole.node;
    resolver.hole_locals.push_back({name.text(), hole.node, hole.scope_end, local});
    set(resolver, name, Meaning::Local, local);
    return true;
  }
  return false;
}

}  // namespace tacet::names
