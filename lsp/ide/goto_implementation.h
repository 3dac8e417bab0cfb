#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Go to implementation
///
/// From a specification or class, wherever it is named, to what can run for it: functions that
/// implement it, externs and device functions of its class, in any file. From a function back to
/// its specifications.
auto goto_implementation(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks;

/// Feature: Go to declaration
///
/// From a function to the specifications that say what it does, from an extern or device function
/// to those of its class; from any other name to its definition.
auto goto_declaration(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> DefinitionLinks;

/// Where an item stands: all of it, and its name.
auto definition_of(query::Context& context, names::ItemId item) -> Definition;

}  // namespace tacet::ide
