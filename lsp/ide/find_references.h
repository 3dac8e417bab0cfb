#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Find references
///
/// Every place of the name under the cursor, in this file and in those that import it. The nodes of
/// a specification are also named by tags.
auto find_references(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
                     Declarations declarations) -> std::vector<FileRange>;

/// Feature: Highlight
///
/// The places of the name under the cursor in its file, as reads or writes.
auto highlights(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<Highlight>;

/// The places of a name that may be typed at together, since all of them are in its item: of a
/// variable, a counter, or a parameter of a function. Empty for other names.
auto linked_ranges(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::vector<TextRange>;

}  // namespace tacet::ide
