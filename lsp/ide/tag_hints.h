#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// The tags of a coordinator function that the text leaves out, as hints where they would be
/// written, by offsets in the file; those outside `range` are not made. What variables are after
/// the two branches of an `if` is shown as the `@in` and `@out` that would say it.
auto tag_hints(const program::FrontendSnapshot& snapshot, names::ItemId function, TextRange range)
    -> std::vector<Hint>;

}  // namespace tacet::ide
