#include "lsp/ide/folding.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

static auto folding_kind_name(ide::FoldKind kind) -> std::string_view {
  switch (kind) {
    case ide::FoldKind::Block:
      return "";
    case ide::FoldKind::Comment:
      return "comment";
    case ide::FoldKind::Imports:
      return "imports";
  }
  return "";
}

auto folding_range(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document, [&](auto& /*decoded*/, FileView& view) -> Answer {
        std::vector<ProtocolFold> folds;
        for (const ide::Fold& fold : ide::folding_ranges(*context.analysis->syntax(view.file()))) {
          Range range = view.positions().range(fold.range);
          // An editor that folds whole lines would hide the line with the closing brace.
          bool is_block = fold.kind == ide::FoldKind::Block;
          if (context.client->capabilities.line_folding_only && is_block && range.end.line > 0) {
            range.end.line -= 1;
          }
          if (range.end.line > range.start.line) {
            folds.push_back({range, folding_kind_name(fold.kind)});
          }
        }
        return encode_folds(folds);
      });
}

}  // namespace tacet::lsp
