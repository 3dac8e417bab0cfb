#pragma once

#include "formatter/style.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// What `tacet.toml` and `.editorconfig` say of a file goes before what the client chose. They are
/// read each time, so that they may change at any moment; the options of a request are the editor's
/// guesses, and are ignored.
auto style_of(const RequestContext& context, const FileView& view) -> formatter::Style;

}  // namespace tacet::lsp
