#pragma once

#include "lsp/protocol/decode.h"
#include "lsp/server/handlers/answer.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// What requests about a place of a document have in common: calls `answer(place)` with the place
/// that `params` name.
template <class AnswerFunction>
auto at_place(const RequestContext& context, const Json& params, const AnswerFunction& answer)
    -> Answer {
  auto decoded = decode_document_position(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto place = context.place_of(*decoded);
  if (!place) {
    return invalid_params(place.error().message);
  }
  return answer(*place);
}

}  // namespace tacet::lsp
