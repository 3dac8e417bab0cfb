#pragma once

#include <string_view>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Rename
///
/// Renames what the name under the cursor stands for at every place in every file, tags included.
/// Rejected where the new name is invalid or taken, and for what is named by more than its own
/// declaration: modules, what exists without declaration, and fields of records and encoders.
auto rename(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
            std::string_view new_name) -> Renaming;

/// The name under the cursor, if it can be renamed.
auto renamed_name(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<TextRange>;

}  // namespace tacet::ide
