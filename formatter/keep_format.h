#pragma once

#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/file_syntax.h"
#include "formatter/style.h"

namespace tacet::formatter {

/// For programs that edit programs. Gives the edits, ascending, with what else it takes for units
/// (items and the comments before them) that were formatted to be formatted afterwards, and for
/// those that an edit writes as a whole. Units that were not formatted, or had errors, are left as
/// the edits leave them; their authors lay them out otherwise.
///
/// `text` is that of `file`; `edits` are ascending and do not overlap. O(changed units), and a few
/// copies of the text.
auto keep_format(const syntax::FileSyntax& file, std::string_view text, std::vector<TextEdit> edits,
                 const Style& style) -> std::vector<TextEdit>;

}  // namespace tacet::formatter
