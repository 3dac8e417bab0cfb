// Requests beyond LSP that edit lines, as rust-analyzer names them.

#include "lsp/ide/join_lines.h"
#include "lsp/ide/move_item.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/text_edits.h"

namespace tacet::lsp {

auto join_lines(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document_ranges, [&](auto& decoded, FileView& view) -> Answer {
        std::vector<TextRange> ranges;
        for (const Range& range : decoded.ranges) {
          ranges.push_back(view.positions().text_range(range));
        }
        return encode_text_edits(protocol_edits(
            ide::join_lines(*context.analysis->syntax(view.file()), view.text(), ranges),
            view.positions()));
      });
}

auto move_item(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_move_item, [&](auto& decoded, FileView& view) -> Answer {
        return encode_text_edits(protocol_edits(
            ide::move_item(*context.analysis->syntax(view.file()), view.text(),
                           view.positions().text_range(decoded.range),
                           decoded.is_up ? ide::MoveDirection::Up : ide::MoveDirection::Down),
            view.positions()));
      });
}

}  // namespace tacet::lsp
