#include "lsp/ide/inline_completion.h"

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto inline_completion(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    const auto found =
        ide::inline_completion(context.analysis->snapshot(), place.view.file(), place.offset);
    return found ? encode_inline_completion(place.view.positions().range(found->range),
                                            found->new_text)
                 : "[]";
  });
}

}  // namespace tacet::lsp
