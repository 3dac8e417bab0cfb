#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"

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

auto definition(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_document_position(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto place = context.place_of(*decoded);
  if (!place) {
    return invalid_params(place.error().message);
  }
  auto found = context.analysis->definition(place->view.file(), place->offset);
  if (found.targets.empty()) {
    return kNoResult;
  }
  return context.client->capabilities.definition_links ? as_links(context, place->view, found)
                                                       : as_locations(context, found);
}

}  // namespace tacet::lsp
