#pragma once

#include "lsp/protocol/decode.h"
#include "lsp/server/handlers/answer.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// What all requests have in common: calls `answer(decoded)` with what `decode` reads of `params`.
template <class Decode, class AnswerFunction>
auto with_params(const Json& params, const Decode& decode, const AnswerFunction& answer) -> Answer {
  auto decoded = decode(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  return answer(*decoded);
}

/// The same of requests about a document: calls `answer(decoded, view)` with the document.
template <class Decode, class AnswerFunction>
auto of_document(const RequestContext& context, const Json& params, const Decode& decode,
                 const AnswerFunction& answer) -> Answer {
  return with_params(params, decode, [&](auto& decoded) -> Answer {
    auto view = context.view_of(decoded.uri);
    return view ? answer(decoded, *view) : Answer(invalid_params(view.error().message));
  });
}

/// The same of requests about a place of a document: calls `answer(decoded, place)`.
template <class Decode, class AnswerFunction>
auto of_place(const RequestContext& context, const Json& params, const Decode& decode,
              const AnswerFunction& answer) -> Answer {
  return with_params(params, decode, [&](auto& decoded) -> Answer {
    auto place = context.place_of({decoded.uri, decoded.position});
    return place ? answer(decoded, *place) : Answer(invalid_params(place.error().message));
  });
}

/// The same of requests that are nothing but a place: calls `answer(place)`.
template <class AnswerFunction>
auto at_place(const RequestContext& context, const Json& params, const AnswerFunction& answer)
    -> Answer {
  return of_place(context, params, decode_document_position,
                  [&](auto& /*decoded*/, Place& place) { return answer(place); });
}

}  // namespace tacet::lsp
