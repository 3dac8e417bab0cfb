#include "lsp/ide/goto_definition.h"

namespace tacet::ide {

auto goto_definition(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks {
  auto entity = snapshot.entity_at(file, offset);
  auto target = snapshot.definition(file, offset);
  if (!entity || !target) {
    return {};
  }
  return {entity->range, {{target->file, target->range, target->range}}};
}

}  // namespace tacet::ide
