#include "lsp/ide/selection_ranges.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto selection_range(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_positions, [&](auto& decoded, FileView& view) -> Answer {
        std::vector<std::vector<Range>> out;
        for (Position position : decoded.positions) {
          std::vector<Range>& ranges = out.emplace_back();
          for (TextRange range : ide::selection_ranges(*context.analysis->syntax(view.file()),
                                                       view.positions().offset(position))) {
            ranges.push_back(view.positions().range(range));
          }
          if (ranges.empty()) {
            ranges.push_back({position, position});  // of an empty file
          }
        }
        return encode_selections(out);
      });
}

}  // namespace tacet::lsp
