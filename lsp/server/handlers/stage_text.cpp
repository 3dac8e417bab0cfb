#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/stage_document.h"

namespace tacet::lsp {

auto stage_document(const std::string& uri, ide::StageText stage) -> Answer {
  if (!stage.problem.empty()) {
    return ResponseError{ErrorCode::RequestFailed, std::move(stage.problem), {}};
  }
  return encode_virtual_document(
      {uri, std::move(stage.text), stage.line, stage.is_source ? "tacet" : "plaintext"});
}

auto stage_text(const RequestContext& context, const Json& params) -> Answer {
  return of_place(context, params, decode_stage, [&](auto& decoded, Place& place) -> Answer {
    return stage_document(
        stage_uri(decoded.stage, decoded.uri),
        ide::stage_text(context.analysis->snapshot(), place.view.file(), decoded.stage,
                        place.offset, style_of(context, place.view), context.analysis->plans()));
  });
}

}  // namespace tacet::lsp
