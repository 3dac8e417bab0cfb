#pragma once

#include "compiler/frontend/frontend.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// Feature: Inlay hints
///
/// What was deduced, where the text leaves it out: the types of `let`, `var` and of the definitions
/// of specifications and, if asked for, the tags of everything in a coordinator function and the
/// places of random draws. Items outside `range` are not looked at.
auto inlay_hints(const check::FrontendSnapshot& snapshot, FileId file, TextRange range,
                 HintOptions options) -> std::vector<Hint>;

}  // namespace tacet::ide
