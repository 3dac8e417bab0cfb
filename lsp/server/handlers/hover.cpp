#include "lsp/ide/hover.h"

#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/plain_text.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto hover(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    auto found =
        ide::hover(context.analysis->snapshot(), place.view.file(), place.offset,
                   context.analysis->plans(), context.analysis->protocol(place.view.file()));
    if (!found) {
      return kNoResult;
    }
    MarkupKind kind = context.client->capabilities.hover_markup;
    const bool is_drawn = context.client->settings.hover_pictures && !found->drawn.empty();
    std::string value = kind != MarkupKind::Markdown ? plain_text(found->markdown)
                        : is_drawn                   ? std::move(found->drawn)
                                                     : std::move(found->markdown);
    return encode_hover({kind, std::move(value), place.view.positions().range(found->range)});
  });
}

}  // namespace tacet::lsp
