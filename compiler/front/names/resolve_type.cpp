#include "compiler/front/names/resolver.h"

namespace tacet::names {

void Resolver::type(Node node) {
  if (!node) {
    return;
  }
  switch (node.kind()) {
    case NodeKind::NamedType: {
      Node name = node.child(Field::Name);
      if (ItemId found = find_item(Namespace::Type, name); found.has_value()) {
        set_item(name, found);
      } else if (name) {
        unknown_type(name);
      }
      return;
    }
    case NodeKind::ArrayType:
      type(node.child(Field::Element));
      for (Node size : node.children(Field::Extent)) {
        extent(size);
      }
      return;
    case NodeKind::RecordType:
      for (Node field : node.children()) {
        type(field.child(Field::Type));
      }
      return;
    case NodeKind::VisibleType:
    case NodeKind::FlaggedType:
      type(node.child(Field::Type));
      return;
    case NodeKind::TemplateType:
      type(node.child(Field::Type));
      type(node.child(Field::Argument));
      return;
    case NodeKind::SliceType:
      type(node.child(Field::Element));
      return;
    case NodeKind::ReferenceType:
      type(node.child(Field::Referent));
      return;
    default:
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
