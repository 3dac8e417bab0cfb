#pragma once

#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "lsp/protocol/types.h"
#include "lsp/server/documents/position_mapper.h"

namespace tacet::lsp {

/// The edits as snippets in which `name`, wherever it is written, is one place to fill in. `edits`
/// are ascending and of the document `text`.
///
/// VS Code takes all edits of a document for snippets if one of them is, and indents the lines of a
/// snippet as the line that it begins in, up to where it begins. So edits of several lines begin
/// where a line begins, and write again what preceded them.
auto snippet_edits(std::vector<TextEdit> edits, std::string_view text, std::string_view name,
                   PositionMapper& positions) -> std::vector<ProtocolTextEdit>;

}  // namespace tacet::lsp
