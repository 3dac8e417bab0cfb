#include "lsp/ide/goto_type.h"

#include "lsp/ide/goto_implementation.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// What names its type behind the name at `offset`: the node around the name that has one.
static auto written_type(const syntax::FileSyntax& file, uint32_t offset)
    -> std::optional<TextRange> {
  const syntax::Unit& unit = file.units[file.unit_at(offset)];
  const std::vector<Node> path = syntax::path_to(unit.tree->root(), offset - unit.begin);
  if (path.size() < 2) {
    return std::nullopt;
  }
  const Node type = path[path.size() - 2].child(Field::Type);
  return type ? std::optional(type.range().shifted(unit.begin)) : std::nullopt;
}

auto goto_type_definition(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks {
  const auto entity = snapshot.entity_at(file, offset);
  const auto declared = snapshot.definition(file, offset);
  if (!entity || !declared) {
    return {};
  }
  DefinitionLinks links;
  links.origin = entity->range;
  const auto syntax = snapshot.query().get<syntax::ParseFile>(declared->file);
  const std::optional<TextRange> type = written_type(*syntax, declared->range.begin);
  if (!type) {
    return {};
  }
  const syntax::Unit& unit = syntax->units[syntax->unit_at(type->begin)];
  for (const syntax::NodeData& node : unit.tree->nodes) {
    const TextRange place = TextRange{node.begin, node.end}.shifted(unit.begin);
    if (node.kind != NodeKind::Identifier || place.begin < type->begin || place.end > type->end) {
      continue;
    }
    const auto named = snapshot.entity_at(declared->file, place.begin);
    const bool is_type = named && named->item.has_value() &&
                         snapshot.item_key(named->item).kind == names::ItemKind::Type;
    if (is_type) {
      links.targets.push_back(snapshot.query().run(
          [&](query::Context& context) { return definition_of(context, named->item); }));
    }
  }
  return links.targets.empty() ? DefinitionLinks{} : links;
}

}  // namespace tacet::ide
