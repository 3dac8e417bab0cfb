#pragma once

#include <string>
#include <string_view>

#include "compiler/frontend/frontend.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// Feature: Completion
///
/// What may be written at the cursor: the names that the place can take, in scope and of the kind
/// that fits (values, types, specifications, fields, nodes of a specification in a tag, …), and the
/// keywords that the grammar takes there. Broken text is the usual case: only what stands in front
/// of the cursor is looked at, but for the types, which come from the last look at all of it.
/// Sorted by how well a name continues what was typed, whether its type fits, and how near it is
/// declared.
auto complete(const check::FrontendSnapshot& snapshot, FileId file, uint32_t offset) -> Completions;

/// The documentation of a completion in `file`, by its `documented`.
auto completion_documentation(const check::FrontendSnapshot& snapshot, FileId file,
                              std::string_view documented) -> std::string;

}  // namespace tacet::ide
