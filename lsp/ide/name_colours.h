#pragma once

#include <memory>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/analysis.h"
#include "lsp/ide/semantic_tokens.h"

namespace tacet::ide {

/// Colours names of a file by what they mean. Looks at the items that it is asked about.
auto name_colours(const program::FrontendSnapshot& snapshot, FileId file,
                  std::shared_ptr<const syntax::FileSyntax> syntax) -> NameLookup;

/// The coloured tokens in the items that touch `range`, names by what they mean.
auto semantic_tokens(const Analysis& analysis, FileId file, TextRange range) -> std::vector<Token>;

}  // namespace tacet::ide
