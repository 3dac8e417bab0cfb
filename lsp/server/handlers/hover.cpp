#include "lsp/ide/hover.h"

#include "lsp/ide/lenses.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/lens_command.h"
#include "lsp/server/handlers/plain_text.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

/// The lenses above what is hovered over that do something.
static auto actions(const RequestContext& context, FileView& view, TextRange hovered)
    -> std::vector<ProtocolHoverAction> {
  std::vector<ProtocolHoverAction> found;
  if (!context.client->capabilities.hover_actions) {
    return found;
  }
  for (const ide::Lens& lens : ide::lenses(*context.analysis, view.file())) {
    // The cost takes a search, and the hover says it.
    if (lens.range != hovered || lens.kind == ide::LensKind::Cost ||
        lens.kind == ide::LensKind::Call) {
      continue;
    }
    const LensParams data{view.uri(), lens.subject, static_cast<int64_t>(lens.kind)};
    auto command = lens_command(context, data);
    if (command && (command->run || !command->places.empty())) {
      found.push_back({data, *std::move(command)});
    }
  }
  return found;
}

auto hover(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    auto found =
        ide::hover(context.analysis->snapshot(), place.view.file(), place.offset,
                   context.analysis->plans(), context.analysis->parties(place.view.file()));
    if (!found) {
      return kNoResult;
    }
    MarkupKind kind = context.client->capabilities.hover_markup;
    const bool is_drawn = context.client->settings.hover_pictures && !found->drawn.empty();
    std::string value = kind != MarkupKind::Markdown ? plain_text(found->markdown)
                        : is_drawn                   ? std::move(found->drawn)
                                                     : std::move(found->markdown);
    return encode_hover({kind, std::move(value), place.view.positions().range(found->range),
                         actions(context, place.view, found->range)},
                        context.client->capabilities);
  });
}

}  // namespace tacet::lsp
