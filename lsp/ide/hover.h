#pragma once

#include <optional>

#include "compiler/frontend/frontend.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// Feature: Hover
///
/// The declaration of what is under the cursor with its type, its documentation, and the
/// specifications that it implements, in Markdown.
auto hover(const check::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<Hover>;

}  // namespace tacet::ide
