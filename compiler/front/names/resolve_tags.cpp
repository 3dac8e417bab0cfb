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

/// Looks up the names in all tags of the item. The specifications' own mistakes are reported with
/// them: where one is broken, or missing, its nodes are not known.
void Resolver::tags(Node item_node) {
  if (kind_ != BodyKind::Coordinator && kind_ != BodyKind::Device) {
    return;
  }
  const Implemented* implemented = nullptr;
  for (Node place : subtree(item_node)) {
    if (!place.is(NodeKind::QuotientNode)) {
      continue;
    }
    if (implemented == nullptr) {
      implemented = &context_.get<ImplementedBy>(item_);
    }
    const ItemId found = specification_of(*implemented, place.child(Field::Dimension).text());
    if (!found.has_value()) {
      continue;
    }
    for (Node name : place.children(Field::Name)) {
      if (name.is(NodeKind::Identifier)) {
        tag_name(name, found);
      }
    }
  }
}

void Resolver::tag_name(Node name, ItemId specification) {
  const SpecificationNodes& nodes = context_.get<NodesOfSpecification>(specification);
  const Name text = interner_.find(name.text());
  if (nodes.is_broken || std::binary_search(nodes.names.begin(), nodes.names.end(), text)) {
    return;
  }
  set_unknown(name);
  if (is_consequence(name)) {
    return;
  }
  Draft draft = report_.add(DiagnosticCode::T1003, name.range(),
                            fmt::format("specification `{}` has no node `{}`",
                                        interner_.text(table_[specification].name), name.text()));
  std::vector<std::string_view> candidates;
  for (Name known : nodes.names) {
    candidates.push_back(interner_.text(known));
  }
  std::sort(candidates.begin(), candidates.end());
  suggest(draft, name, candidates);
  label_item(draft, specification, "a tag can name only nodes of this specification");
}

}  // namespace tacet::names
