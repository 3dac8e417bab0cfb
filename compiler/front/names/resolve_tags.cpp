#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

// Tags: `@ node(val.x)-usable`. Their names are nodes of the specifications that the function
// implements.

namespace tacet::names {

/// The specification that a tag of a dimension speaks of.
static auto specification_of(const Implemented& implemented, std::string_view dimension) -> ItemId {
  return dimension == "val"    ? implemented.val
         : dimension == "tmln" ? implemented.tmln
                               : implemented.sptl;
}

static void tag_name(Resolver& resolver, Node name, ItemId specification);

/// Looks up the names in all tags of the item. The specifications' own mistakes are reported with
/// them: where one is broken, or missing, its nodes are not known.
void tags(Resolver& resolver, Node item_node) {
  if (resolver.kind != BodyKind::Coordinator && resolver.kind != BodyKind::Device) {
    return;
  }
  const Implemented* implemented = nullptr;
  for (Node place : subtree(item_node)) {
    if (!place.is(NodeKind::QuotientNode)) {
      continue;
    }
    if (implemented == nullptr) {
      implemented = &resolver.context.get<ImplementedBy>(resolver.item);
    }
    const ItemId found = specification_of(*implemented, place.child(Field::Dimension).text());
    if (!found.has_value()) {
      continue;
    }
    for (Node name : place.children(Field::Name)) {
      if (name.is(NodeKind::Identifier)) {
        tag_name(resolver, name, found);
      }
    }
  }
}

static void tag_name(Resolver& resolver, Node name, ItemId specification) {
  const SpecificationNodes& nodes = resolver.context.get<NodesOfSpecification>(specification);
  const Name text = resolver.interner.find(name.text());
  if (nodes.is_broken || std::binary_search(nodes.names.begin(), nodes.names.end(), text)) {
    return;
  }
  set_unknown(resolver, name);
  if (is_consequence(resolver, name)) {
    return;
  }
  Draft draft = resolver.report.add(
      DiagnosticCode::T1003, name.range(),
      fmt::format("specification `{}` has no node `{}`",
                  resolver.interner.text(resolver.table[specification].name), name.text()));
  std::vector<std::string_view> candidates;
  for (Name known : nodes.names) {
    candidates.push_back(resolver.interner.text(known));
  }
  std::sort(candidates.begin(), candidates.end());
  suggest(resolver, draft, name, candidates);
  label_item(resolver, draft, specification, "a tag can name only nodes of this specification");
}

}  // namespace tacet::names
