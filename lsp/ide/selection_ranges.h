#pragma once

#include <vector>

#include "compiler/core/syntax/file_syntax.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Selection ranges
///
/// What stands around a place, from the innermost word to the whole file: each range is inside of
/// the next and smaller. A comment is one of them.
auto selection_ranges(const syntax::FileSyntax& file, uint32_t offset) -> std::vector<TextRange>;

/// Feature: Formatting on type
///
/// The statement, list or item that ends with the brace or semicolon right in front of `offset`;
/// nothing if none does.
auto ended_by_token(const syntax::FileSyntax& file, uint32_t offset) -> std::optional<TextRange>;

}  // namespace tacet::ide
