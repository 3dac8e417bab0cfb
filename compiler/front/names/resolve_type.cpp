#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

void Resolver::type(Node node) {
  if (!node) {
    return;
  }
  switch (syntax::type_kind(node.kind())) {
    case syntax::TypeKind::Named: {
      Node name = node.child(Field::Name);
      if (ItemId found = find_item(Namespace::Type, name); found.has_value()) {
        set_item(name, found);
      } else if (name) {
        unknown_type(name);
      }
      return;
    }
    case syntax::TypeKind::Array:
      type(node.child(Field::Element));
      for (Node size : node.children(Field::Extent)) {
        extent(size);
      }
      return;
    case syntax::TypeKind::Record:
      for (Node field : node.children()) {
        type(field.child(Field::Type));
      }
      return;
    case syntax::TypeKind::Visible:
    case syntax::TypeKind::Flagged:
      type(node.child(Field::Type));
      return;
    case syntax::TypeKind::Template:
      type(node.child(Field::Type));
      type(node.child(Field::Argument));
      return;
    case syntax::TypeKind::Slice:
      type(node.child(Field::Element));
      return;
    case syntax::TypeKind::Reference:
      type(node.child(Field::Referent));
      return;
    case syntax::TypeKind::Primitive:
    case syntax::TypeKind::None:
      return;
  }
}

void Resolver::extent(Node node) {
  if (!node.is(NodeKind::Identifier)) {
    return;
  }
  if (ItemId found = find_item(Namespace::Value, node); found.has_value()) {
    set_item(node, found);
    return;
  }
  unknown_value(node);
}

}  // namespace tacet::names
