#include "compiler/front/names/resolve_body.h"

#include <algorithm>

#include "compiler/front/names/resolver.h"

namespace tacet::names {

auto body_kind(syntax::Node node, ItemKind kind) -> BodyKind {
  switch (kind) {
    case ItemKind::Val:
      return BodyKind::Val;
    case ItemKind::Tmln:
      return BodyKind::Tmln;
    case ItemKind::Sptl:
      return BodyKind::Sptl;
    case ItemKind::Fn:
      return node.child(syntax::Field::Device) ? BodyKind::Device : BodyKind::Coordinator;
    case ItemKind::Test:
      return BodyKind::Coordinator;
    case ItemKind::Const:
      return BodyKind::Constant;
    case ItemKind::Program:
      return BodyKind::Program;
    case ItemKind::Extern:
    case ItemKind::Feq:
    case ItemKind::Type:
    case ItemKind::Party:
    case ItemKind::Pipeline:
    case ItemKind::Import:
    case ItemKind::Input:
      return BodyKind::None;
  }
  return BodyKind::None;
}

static auto run(Resolver& resolver) -> ResolvedBody;

auto resolve_body(query::Context& context, ItemId item, const syntax::Tree& tree, Report& report)
    -> ResolvedBody {
  Resolver resolver(context, item, tree, report);
  return run(resolver);
}

Resolver::Resolver(query::Context& context_, ItemId item_, const syntax::Tree& tree_,
                   Report& report_)
    : context(context_),
      item(item_),
      tree(tree_),
      report(report_),
      interner(context_.service<Interner>()),
      table(context_.service<ItemTable>()),
      key(table[item_]) {}

static auto run(Resolver& resolver) -> ResolvedBody {
  Node root = item_node(resolver.tree);
  resolver.result.names.resolutions.resize(resolver.tree.nodes.size());
  resolver.kind = body_kind(root, resolver.key.kind);
  resolver.result.kind = resolver.kind;
  if (root) {
    resolver.locals.enter();
    item(resolver, root);
    resolver.locals.leave();
  }
  std::vector<uint32_t>& functions = resolver.result.names.function_arguments;
  std::sort(functions.begin(), functions.end());
  return std::move(resolver.result);
}

auto add_local(Resolver& resolver, Node name, LocalKind kind, uint32_t ordinal,
               uint32_t declaration) -> uint32_t {
  const auto local = static_cast<uint32_t>(resolver.result.names.locals.size());
  Local added;
  added.kind = kind;
  added.ordinal = ordinal;
  added.declaration = declaration;
  if (name) {
    added.name = resolver.interner.intern(name.text());
    added.node = name.index();
    set(resolver, name, Meaning::Local, local);
  }
  resolver.result.names.locals.push_back(added);
  return local;
}

auto declare(Resolver& resolver, Node name, LocalKind kind, uint32_t ordinal, uint32_t declaration)
    -> uint32_t {
  const uint32_t local = add_local(resolver, name, kind, ordinal, declaration);
  if (name && !name.is(NodeKind::Wildcard)) {
    resolver.locals.declare(name.text(), local);
  }
  return local;
}

void set_item(Resolver& resolver, Node name, ItemId item) {
  std::vector<ItemId>& items = resolver.result.names.items;
  auto place = std::find(items.begin(), items.end(), item);
  set(resolver, name, Meaning::Item, static_cast<uint32_t>(place - items.begin()));
  if (place == items.end()) {
    items.push_back(item);
  }
}

auto find_item(Resolver& resolver, Namespace space, Node name) -> ItemId {
  return find_name(resolver.context, resolver.key.file, space, name.text());
}

}  // namespace tacet::names
