#pragma once

#include <vector>

#include "compiler/core/syntax/file_syntax.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Folding
///
/// Folds everything in braces, runs of line comments, block comments and runs of imports.
/// Ranges within one line are listed too; only callers that know the lines can filter them.
auto folding_ranges(const syntax::FileSyntax& file) -> std::vector<Fold>;

}  // namespace tacet::ide
