// The documents that have no file: what `tacet/stage` and `tacet/obliviousForm` gave once, of the
// file as it is now, the pages that explain diagnostics, and the library.

#include <algorithm>

#include "compiler/core/diagnostics/explanation.h"
#include "lsp/ide/oblivious_form.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/stage_document.h"

namespace tacet::lsp {

static auto stage_content(const RequestContext& context, const std::string& uri,
                          const StageOfUri& named) -> Answer {
  auto view = context.view_of(named.uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  return stage_document(uri,
                        ide::stage_text(context.analysis->snapshot(), view->file(), named.stage, 0,
                                        style_of(context, *view), context.analysis->plans()));
}

static auto oblivious_content(const RequestContext& context, const std::string& uri,
                              const ObliviousOfUri& named) -> Answer {
  auto view = context.view_of(named.uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  const program::FrontendSnapshot& snapshot = context.analysis->snapshot();
  const names::ItemId item =
      snapshot.find(view->file(), names::Namespace::Callable, named.function);
  auto form =
      item.has_value() && snapshot.item_key(item).file == view->file()
          ? ide::oblivious_form(snapshot, view->file(), snapshot.name_place(item).range.begin,
                                style_of(context, *view))
          : std::nullopt;
  if (!form) {
    return ResponseError{ErrorCode::RequestFailed,
                         "there is no device function `" + named.function + "` without errors",
                         {}};
  }
  return encode_virtual_document({uri, std::move(form->text)});
}

static auto explanation_content(const std::string& uri, std::string_view code) -> Answer {
  const auto codes = all_codes();
  const auto found = std::find_if(codes.begin(), codes.end(),
                                  [&](DiagnosticCode one) { return code_name(one) == code; });
  if (found == codes.end()) {
    return invalid_params("no diagnostic has the code `" + std::string(code) + "`");
  }
  return encode_virtual_document({uri, std::string(explanation(*found)), 0, "markdown"});
}

auto text_document_content(const RequestContext& context, const Json& params) -> Answer {
  auto uri = decode_content_uri(params);
  if (!uri) {
    return invalid_params(uri.error().message);
  }
  if (const auto stage = stage_of_uri(*uri)) {
    return stage_content(context, *uri, *stage);
  }
  if (const auto form = oblivious_of_uri(*uri)) {
    return oblivious_content(context, *uri, *form);
  }
  if (const auto code = code_of_uri(*uri)) {
    return explanation_content(*uri, *code);
  }
  if (const auto module = context.analysis->file(*uri); module && names::is_library_path(*uri)) {
    return encode_virtual_document({*uri, *context.analysis->text(*module)});
  }
  return invalid_params("not a URI of this server");
}

}  // namespace tacet::lsp
