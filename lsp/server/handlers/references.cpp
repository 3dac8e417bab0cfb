#include <optional>

#include "lsp/ide/find_references.h"
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
  return of_place(context, params, decode_references, [&](auto& decoded, Place& place) -> Answer {
    const auto declarations =
        decoded.includes_declaration ? ide::Declarations::Included : ide::Declarations::LeftOut;
    const auto found = ide::find_references(context.analysis->snapshot(), place.view.file(),
                                            place.offset, declarations);
    return in_parts<Location>(context, locations(context, found), encode_locations);
  });
}

auto linked_editing_range(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    std::vector<Range> ranges;
    for (const TextRange& range :
         ide::linked_ranges(context.analysis->snapshot(), place.view.file(), place.offset)) {
      ranges.push_back(place.view.positions().range(range));
    }
    return ranges.empty() ? kNoResult : encode_linked_ranges(ranges);
  });
}

auto document_highlight(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    std::vector<ProtocolHighlight> out;
    for (const ide::Highlight& highlight :
         ide::highlights(context.analysis->snapshot(), place.view.file(), place.offset)) {
      const bool is_written = highlight.kind == ide::Highlight::Kind::Write;
      out.push_back({place.view.positions().range(highlight.range), is_written ? 3 : 2});
    }
    return encode_highlights(out);
  });
}

}  // namespace tacet::lsp
