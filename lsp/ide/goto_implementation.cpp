#include "lsp/ide/goto_implementation.h"

#include "compiler/spec/program/implementations.h"
#include "lsp/ide/goto_definition.h"

namespace tacet::ide {

using names::ItemId;
using names::ItemKind;

auto definition_of(query::Context& context, ItemId item) -> Definition {
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const uint32_t begin = context.get<names::BeginOfItem>(item);
  const syntax::Node root = names::item_node(*tree);
  const syntax::Node name = root ? names::item_name_node(root) : root;
  const TextRange full = root.range().shifted(begin);
  return {context.service<names::ItemTable>()[item].file, full,
          name ? name.range().shifted(begin) : full};
}

static auto links_to(query::Context& context, TextRange origin, const std::vector<ItemId>& items)
    -> DefinitionLinks {
  DefinitionLinks links;
  links.origin = origin;
  for (ItemId item : items) {
    links.targets.push_back(definition_of(context, item));
  }
  return links;
}

auto goto_implementation(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks {
  const auto entity = snapshot.entity_at(file, offset);
  if (!entity || !entity->item.has_value()) {
    return {};
  }
  return snapshot.query().run([&](query::Context& context) {
    const names::ItemKey& key = snapshot.item_key(entity->item);
    const bool is_coordinator = key.kind == ItemKind::Fn && !key.parent.has_value();
    return links_to(context, entity->range,
                    is_coordinator ? program::specifications_of(context, entity->item)
                                   : program::implementations_of(context, entity->item));
  });
}

auto goto_declaration(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks {
  const auto entity = snapshot.entity_at(file, offset);
  if (entity && entity->item.has_value()) {
    DefinitionLinks links = snapshot.query().run([&](query::Context& context) {
      return links_to(context, entity->range, program::specifications_of(context, entity->item));
    });
    if (!links.targets.empty()) {
      return links;
    }
  }
  return goto_definition(snapshot, file, offset);
}

}  // namespace tacet::ide
