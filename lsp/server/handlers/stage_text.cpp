#include "lsp/ide/stage_text.h"

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

static auto virtual_document(const std::string& uri, ide::StageText stage) -> Answer {
  if (!stage.problem.empty()) {
    return ResponseError{ErrorCode::RequestFailed, std::move(stage.problem), {}};
  }
  return encode_virtual_document(
      {uri, std::move(stage.text), stage.line, stage.is_source ? "tacet" : "plaintext"});
}

auto stage_text(const RequestContext& context, const Json& params) -> Answer {
  return of_place(context, params, decode_stage, [&](auto& decoded, Place& place) -> Answer {
    return virtual_document(
        stage_uri(decoded.stage, decoded.uri),
        ide::stage_text(context.analysis->snapshot(), place.view.file(), decoded.stage,
                        place.offset, style_of(context, place.view), context.analysis->plans()));
  });
}

/// What `stage_text` gave once, of the file as it is now.
auto text_document_content(const RequestContext& context, const Json& params) -> Answer {
  auto uri = decode_content_uri(params);
  if (!uri) {
    return invalid_params(uri.error().message);
  }
  const auto named = stage_of_uri(*uri);
  if (!named) {
    return invalid_params("not a stage URI");
  }
  auto view = context.view_of(named->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  return virtual_document(
      *uri, ide::stage_text(context.analysis->snapshot(), view->file(), named->stage, 0,
                            style_of(context, *view), context.analysis->plans()));
}

}  // namespace tacet::lsp
