#include "lsp/server/handlers/file_style.h"

#include <string>

#include "project/format_style.h"

namespace tacet::lsp {

auto style_of(const RequestContext& context, const FileView& view) -> formatter::Style {
  const Settings& chosen = context.client->settings;
  const project::FormatSettings settings = {
      project::checked_columns(chosen.format_width, formatter::kMinWidth, formatter::kNoWidth),
      project::checked_columns(chosen.format_indent, 1, formatter::kMaxIndent), chosen.format_tabs};
  const formatter::Style base = project::with_settings(context.bounds.style, settings);
  const std::string path = context.analysis->path(view.file());
  const bool is_file = context.bounds.files == FileAccess::Readable && path.starts_with('/');
  return is_file ? project::FormatStyles(base).of(path) : base;
}

}  // namespace tacet::lsp
