#pragma once

#include <string>
#include <string_view>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Completion
///
/// What may be written at the cursor: the names that the place can take, in scope and of the kind
/// that fits (values, types, specifications, fields, nodes of a specification in a tag, …), and the
/// keywords that the grammar takes there. Broken text is the usual case: only the text before the
/// cursor is parsed, except for the types, which come from the last full analysis. Sorted by how
/// well a name continues what was typed, whether its type fits, and how near it is declared. Behind
/// all of these come names of modules that would have to be imported.
auto complete(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
              Imports imports = Imports::Offered) -> Completions;

/// More of a completion in `file`, by its `documented`.
auto resolve_completion(const program::FrontendSnapshot& snapshot, FileId file,
                        std::string_view documented) -> ResolvedCompletion;

}  // namespace tacet::ide
