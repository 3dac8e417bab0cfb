#include "lsp/ide/oblivious_form.h"

#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto oblivious_form(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    auto form = ide::oblivious_form(context.analysis->snapshot(), place.view.file(), place.offset,
                                    style_of(context, place.view));
    if (!form) {
      return kNoResult;
    }
    return encode_virtual_document(
        {oblivious_uri(place.view.uri(), form->function), std::move(form->text)});
  });
}

}  // namespace tacet::lsp
