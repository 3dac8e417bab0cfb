#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: what of a file can be run
///
/// Its pipelines, the program of a `.tlhe` file, functions and value specifications, in the order
/// of the text, as `tacet run` takes them, whether or not they have mistakes.
auto runnables(const program::FrontendSnapshot& snapshot, FileId file) -> std::vector<Runnable>;

}  // namespace tacet::ide
