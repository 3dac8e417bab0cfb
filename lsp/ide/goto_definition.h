#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Go to definition
///
/// Where the name under the cursor is declared, in this file or another.
auto goto_definition(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks;

}  // namespace tacet::ide
