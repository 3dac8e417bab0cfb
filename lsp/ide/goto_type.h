#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Go to type definition
///
/// From a name whose declaration says its type to the `type` items that the type names.
auto goto_type_definition(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks;

}  // namespace tacet::ide
