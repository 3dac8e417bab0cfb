#include <optional>

#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/in_parts.h"
#include "lsp/server/handlers/locations.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto locations(const RequestContext& context, std::span<const FileRange> places)
    -> std::vector<Location> {
  std::vector<Location> found;
  std::optional<FileView> view;
  for (const FileRange& place : places) {
    if (!view || view->file() != place.file) {
      view.emplace(context.view_of(place.file));
    }
    found.push_back({view->uri(), view->positions().range(place.range)});
  }
  return found;
}

auto references(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_references(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto place = context.place_of({decoded->uri, decoded->position});
  if (!place) {
    return invalid_params(place.error().message);
  }
  const auto declarations =
      decoded->includes_declaration ? ide::Declarations::Included : ide::Declarations::LeftOut;
  const auto found = context.analysis->references(place->view.file(), place->offset, declarations);
  return in_parts<Location>(context, locations(context, found), encode_locations);
}

auto linked_editing_range(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    std::vector<Range> ranges;
    for (const TextRange& range : context.analysis->linked(place.view.file(), place.offset)) {
      ranges.push_back(place.view.positions().range(range));
    }
    return ranges.empty() ? kNoResult : encode_linked_ranges(ranges);
  });
}

auto document_highlight(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    std::vector<ProtocolHighlight> out;
    for (const ide::Highlight& highlight :
         context.analysis->highlights(place.view.file(), place.offset)) {
      const bool is_written = highlight.kind == ide::Highlight::Kind::Write;
      out.push_back({place.view.positions().range(highlight.range), is_written ? 3 : 2});
    }
    return encode_highlights(out);
  });
}

}  // namespace tacet::lsp
