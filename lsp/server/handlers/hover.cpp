#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/plain_text.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto hover(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    auto found = context.analysis->hover(place.view.file(), place.offset);
    if (!found) {
      return kNoResult;
    }
    MarkupKind kind = context.client->capabilities.hover_markup;
    std::string value =
        kind == MarkupKind::Markdown ? std::move(found->markdown) : plain_text(found->markdown);
    return encode_hover({kind, std::move(value), place.view.positions().range(found->range)});
  });
}

}  // namespace tacet::lsp
