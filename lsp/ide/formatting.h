#pragma once

#include <vector>

#include "formatter/style.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// The edits that format what of `range` is whole; none if it is formatted.
auto format_edits(const Analysis& analysis, FileId file, TextRange range,
                  const formatter::Style& style) -> std::vector<TextEdit>;

/// The edits, with what else it takes that what was formatted stays so, and that what they write
/// is (formatter/keep_format.h).
auto keep_format(const Analysis& analysis, FileId file, std::vector<TextEdit> edits,
                 const formatter::Style& style) -> std::vector<TextEdit>;

}  // namespace tacet::ide
