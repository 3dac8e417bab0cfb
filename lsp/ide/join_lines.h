#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/file_syntax.h"

namespace tacet::ide {

/// Feature: Join Lines
///
/// The edits that put the lines of each range on one line, and the next line behind one that has a
/// single line. Comments go on as one comment; code never ends up in one. A comma at the end of a
/// list goes.
auto join_lines(const syntax::FileSyntax& syntax, std::string_view text,
                std::span<const TextRange> ranges) -> std::vector<TextEdit>;

}  // namespace tacet::ide
