#include <algorithm>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/text_edits.h"

namespace tacet::lsp {

auto formatting(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_document(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  TextRange whole{0, static_cast<uint32_t>(view->text().size())};
  return encode_text_edits(protocol_edits(
      context.analysis->format(view->file(), whole, style_of(context, *view)), view->positions()));
}

auto range_formatting(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_document_range(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  TextRange range = view->positions().text_range(decoded->range);
  return encode_text_edits(protocol_edits(
      context.analysis->format(view->file(), range, style_of(context, *view)), view->positions()));
}

/// Ranges that touch the same item would give its edits twice.
auto ranges_formatting(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_document_ranges(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  std::vector<TextEdit> edits;
  const formatter::Style style = style_of(context, *view);
  for (const Range& range : decoded->ranges) {
    const TextRange wanted = view->positions().text_range(range);
    for (TextEdit& edit : context.analysis->format(view->file(), wanted, style)) {
      if (std::find(edits.begin(), edits.end(), edit) == edits.end()) {
        edits.push_back(std::move(edit));
      }
    }
  }
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return a.range.begin < b.range.begin;
  });
  return encode_text_edits(protocol_edits(std::move(edits), view->positions()));
}

auto on_type_formatting(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_on_type(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto place = context.place_of({decoded->uri, decoded->position});
  if (!place) {
    return invalid_params(place.error().message);
  }
  const auto range = context.analysis->ended_at(place->view.file(), place->offset);
  if (!range) {
    return kNoResult;
  }
  // The formatter takes whole items; what the user did not end yet stays as it is.
  std::vector<TextEdit> edits =
      context.analysis->format(place->view.file(), *range, style_of(context, place->view));
  std::erase_if(edits, [&](const TextEdit& edit) {
    return edit.range.end < range->begin || edit.range.end > range->end;
  });
  return encode_text_edits(protocol_edits(std::move(edits), place->view.positions()));
}

}  // namespace tacet::lsp
