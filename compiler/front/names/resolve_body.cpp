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

auto resolve_body(query::Context& context, ItemId item, const syntax::Tree& tree, Report& report)
    -> ResolvedBody {
  return Resolver(context, item, tree, report).run();
}

Resolver::Resolver(query::Context& context, ItemId item, const syntax::Tree& tree, Report& report)
    : context_(context),
      item_(item),
      tree_(tree),
      report_(report),
      interner_(context.service<Interner>()),
      table_(context.service<ItemTable>()),
      key_(table_[item]),
      scope_(*context.get<ModuleScopeOfFile>(key_.file)) {}

auto Resolver::run() -> ResolvedBody {
  Node root = item_node(tree_);
  result_.names.resolutions.resize(tree_.nodes.size());
  kind_ = body_kind(root, key_.kind);
  result_.kind = kind_;
  if (root) {
    locals_.enter();
    item(root);
    locals_.leave();
  }
  return std::move(result_);
}

auto Resolver::add_local(Node name, LocalKind kind, uint32_t ordinal, uint32_t declaration)
    -> uint32_t {
  const auto local = static_cast<uint32_t>(result_.names.locals.size());
  Local added;
  added.kind = kind;
  added.ordinal = ordinal;
  added.declaration = declaration;
  if (name) {
    added.name = interner_.intern(name.text());
    added.node = name.index();
    set(name, Meaning::Local, local);
  }
  result_.names.locals.push_back(added);
  return local;
}

auto Resolver::declare(Node name, LocalKind kind, uint32_t ordinal, uint32_t declaration)
    -> uint32_t {
  const uint32_t local = add_local(name, kind, ordinal, declaration);
  if (name && !name.is(NodeKind::Wildcard)) {
    locals_.declare(name.text(), local);
  }
  return local;
}

void Resolver::set_item(Node name, ItemId item) {
  std::vector<ItemId>& items = result_.names.items;
  auto place = std::find(items.begin(), items.end(), item);
  set(name, Meaning::Item, static_cast<uint32_t>(place - items.begin()));
  if (place == items.end()) {
    items.push_back(item);
  }
}

auto Resolver::find_item(Namespace space, Node name) -> ItemId {
  return scope_.find(space, interner_.find(name.text()));
}

}  // namespace tacet::names
