#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

auto selection_range(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_positions(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  std::vector<std::vector<Range>> out;
  for (Position position : decoded->positions) {
    std::vector<Range>& ranges = out.emplace_back();
    for (TextRange range :
         context.analysis->selections(view->file(), view->positions().offset(position))) {
      ranges.push_back(view->positions().range(range));
    }
    if (ranges.empty()) {
      ranges.push_back({position, position});  // of an empty file
    }
  }
  return encode_selections(out);
}

}  // namespace tacet::lsp
