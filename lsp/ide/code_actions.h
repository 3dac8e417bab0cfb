#pragma once

#include <span>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// Feature: Code actions
///
/// The fixes of the diagnostics at `range`, and one action that applies every safe fix of
/// the file. A fix that is safe is the preferred one.
auto code_actions(std::span<const Diagnostic> diagnostics, TextRange range) -> std::vector<Action>;

}  // namespace tacet::ide
