#include "lsp/ide/goto_definition.h"
#include "lsp/ide/goto_implementation.h"
#include "lsp/ide/goto_type.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

static auto as_links(const RequestContext& context, FileView& origin,
                     const ide::DefinitionLinks& found) -> std::string {
  std::vector<LocationLink> links;
  for (const ide::Definition& target : found.targets) {
    FileView view = context.view_of(target.file);
    links.push_back({origin.positions().range(found.origin), view.uri(),
                     view.positions().range(target.full), view.positions().range(target.name)});
  }
  return encode_location_links(links);
}

static auto as_locations(const RequestContext& context, const ide::DefinitionLinks& found)
    -> std::string {
  std::vector<Location> locations;
  for (const ide::Definition& target : found.targets) {
    FileView view = context.view_of(target.file);
    locations.push_back({view.uri(), view.positions().range(target.name)});
  }
  return encode_locations(locations);
}

/// A feature that leads from a place of a file to others.
using FindLinks = ide::DefinitionLinks (*)(const program::FrontendSnapshot& snapshot, FileId file,
                                           uint32_t offset);

/// Where `find` leads from a place, in the form that the client understands.
static auto links(const RequestContext& context, const Json& params, bool knows_links,
                  FindLinks find) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    ide::DefinitionLinks found =
        find(context.analysis->snapshot(), place.view.file(), place.offset);
    std::erase_if(found.targets,
                  [&](const ide::Definition& target) { return !context.can_show(target.file); });
    if (found.targets.empty()) {
      return kNoResult;
    }
    return knows_links ? as_links(context, place.view, found) : as_locations(context, found);
  });
}

auto definition(const RequestContext& context, const Json& params) -> Answer {
  return links(context, params, context.client->capabilities.definition_links,
               ide::goto_definition);
}

auto declaration(const RequestContext& context, const Json& params) -> Answer {
  return links(context, params, context.client->capabilities.declaration_links,
               ide::goto_declaration);
}

auto type_definition(const RequestContext& context, const Json& params) -> Answer {
  return links(context, params, context.client->capabilities.type_definition_links,
               ide::goto_type_definition);
}

auto implementation(const RequestContext& context, const Json& params) -> Answer {
  return links(context, params, context.client->capabilities.implementation_links,
               ide::goto_implementation);
}

}  // namespace tacet::lsp
