#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/plain_text.h"

namespace tacet::lsp {

auto hover(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_document_position(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto place = context.place_of(*decoded);
  if (!place) {
    return invalid_params(place.error().message);
  }
  auto found = context.analysis->hover(place->view.file(), place->offset);
  if (!found) {
    return kNoResult;
  }
  MarkupKind kind = context.client->capabilities.hover_markup;
  std::string value =
      kind == MarkupKind::Markdown ? std::move(found->markdown) : plain_text(found->markdown);
  return encode_hover({kind, std::move(value), place->view.positions().range(found->range)});
}

}  // namespace tacet::lsp
