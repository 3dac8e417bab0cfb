#include <algorithm>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

static void extent(Resolver& resolver, Node node);

void type(Resolver& resolver, Node node) {
  if (!node) {
    return;
  }
  switch (syntax::type_kind(node.kind())) {
    case syntax::TypeKind::Named: {
      Node name = node.child(Field::Name);
      const uint32_t parameter = name ? type_parameter(resolver, name) : LocalScopes::kNone;
      if (parameter != LocalScopes::kNone) {
        set(resolver, name, Meaning::Local, parameter);
      } else if (ItemId found = find_item(resolver, Namespace::Type, name); found.has_value()) {
        set_item(resolver, name, found);
      } else if (name) {
        unknown_type(resolver, name);
      }
      return;
    }
    case syntax::TypeKind::Array:
      type(resolver, node.child(Field::Element));
      for (Node size : node.children(Field::Extent)) {
        extent(resolver, size);
      }
      return;
    case syntax::TypeKind::Record:
      for (Node field : node.children()) {
        type(resolver, field.child(Field::Type));
      }
      return;
    case syntax::TypeKind::Visible:
    case syntax::TypeKind::Flagged:
      type(resolver, node.child(Field::Type));
      return;
    case syntax::TypeKind::Template:
      type(resolver, node.child(Field::Type));
      type(resolver, node.child(Field::Argument));
      return;
    case syntax::TypeKind::Slice:
      type(resolver, node.child(Field::Element));
      return;
    case syntax::TypeKind::Reference:
      type(resolver, node.child(Field::Referent));
      return;
    case syntax::TypeKind::Function:  // `function_parameters`
    case syntax::TypeKind::Primitive:
    case syntax::TypeKind::None:
      return;
  }
}

static void extent(Resolver& resolver, Node node) {
  if (!node.is(NodeKind::Identifier)) {
    for (Node part : node.children()) {
      extent(resolver, part);
    }
    return;
  }
  // In types no variable hides a size.
  const std::vector<Local>& locals = resolver.result.names.locals;
  const auto size = std::find_if(locals.begin(), locals.end(), [&](const Local& local) {
    return local.kind == LocalKind::Size && resolver.interner.text(local.name) == node.text();
  });
  if (size != locals.end()) {
    size_name(resolver, node, static_cast<uint32_t>(size - locals.begin()));
    return;
  }
  if (ItemId found = find_item(resolver, Namespace::Value, node); found.has_value()) {
    set_item(resolver, node, found);
    return;
  }
  unknown_value(resolver, node);
}

}  // namespace tacet::names
