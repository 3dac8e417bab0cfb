#include <algorithm>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/text_edits.h"
#include "project/format_style.h"

namespace tacet::lsp {

/// What `tacet.toml` and `.editorconfig` say of a file goes before what the client chose. They are
/// read each time, so that they may change at any moment; the options of a request are what an
/// editor guesses, and are not looked at.
static auto style_of(const RequestContext& context, const FileView& view) -> formatter::Style {
  const Settings& chosen = context.client->settings;
  const project::FormatSettings settings = {
      project::checked_columns(chosen.format_width, formatter::kMinWidth, formatter::kNoWidth),
      project::checked_columns(chosen.format_indent, 1, formatter::kMaxIndent), chosen.format_tabs};
  const formatter::Style base = project::with_settings(context.bounds.style, settings);
  const std::string path = context.analysis->path(view.file());
  const bool is_file = context.bounds.files == FileAccess::Readable && path.starts_with('/');
  return is_file ? project::FormatStyles(base).of(path) : base;
}

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
