#pragma once

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Signature help
///
/// The head of the function that is being called at the cursor, and which of its parameters is
/// there. Of an equivalence class the heads of its members, those with enough parameters first.
/// Works in a text that is not finished: what is behind the cursor does not matter.
auto signature_help(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<SignatureHelp>;

/// The ranges of the parameters in the head of a function: `a: i64` and `b: i64` of
/// `fn min(a: i64, b: i64) -> i64`.
auto parameters_of_head(std::string_view head, std::string_view name) -> std::vector<TextRange>;

}  // namespace tacet::ide
