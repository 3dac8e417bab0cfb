#include "lsp/ide/formatting.h"

#include <algorithm>

#include "lsp/ide/selection_ranges.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/text_edits.h"

namespace tacet::lsp {

auto formatting(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document, [&](auto& /*decoded*/, FileView& view) -> Answer {
        TextRange whole{0, static_cast<uint32_t>(view.text().size())};
        return encode_text_edits(protocol_edits(
            ide::format_edits(*context.analysis, view.file(), whole, style_of(context, view)),
            view.positions()));
      });
}

auto range_formatting(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document_range, [&](auto& decoded, FileView& view) -> Answer {
        TextRange range = view.positions().text_range(decoded.range);
        return encode_text_edits(protocol_edits(
            ide::format_edits(*context.analysis, view.file(), range, style_of(context, view)),
            view.positions()));
      });
}

/// Ranges that touch the same item would give its edits twice.
auto ranges_formatting(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document_ranges, [&](auto& decoded, FileView& view) -> Answer {
        std::vector<TextEdit> edits;
        const formatter::Style style = style_of(context, view);
        for (const Range& range : decoded.ranges) {
          const TextRange wanted = view.positions().text_range(range);
          for (TextEdit& edit : ide::format_edits(*context.analysis, view.file(), wanted, style)) {
            if (std::find(edits.begin(), edits.end(), edit) == edits.end()) {
              edits.push_back(std::move(edit));
            }
          }
        }
        std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
          return a.range.begin < b.range.begin;
        });
        return encode_text_edits(protocol_edits(std::move(edits), view.positions()));
      });
}

auto on_type_formatting(const RequestContext& context, const Json& params) -> Answer {
  return of_place(context, params, decode_on_type, [&](auto& /*decoded*/, Place& place) -> Answer {
    const auto range =
        ide::ended_by_token(*context.analysis->syntax(place.view.file()), place.offset);
    if (!range) {
      return kNoResult;
    }
    // The formatter takes whole items; what the user did not end yet stays as it is.
    std::vector<TextEdit> edits = ide::format_edits(*context.analysis, place.view.file(), *range,
                                                    style_of(context, place.view));
    std::erase_if(edits, [&](const TextEdit& edit) {
      return edit.range.end < range->begin || edit.range.end > range->end;
    });
    return encode_text_edits(protocol_edits(std::move(edits), place.view.positions()));
  });
}

}  // namespace tacet::lsp
