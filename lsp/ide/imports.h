#pragma once

#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Document links
///
/// The imports of a file and the files that they find.
auto document_links(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<FileLink>;

/// Where other files name `file` behind `import`.
auto places_of_import(const program::FrontendSnapshot& snapshot, FileId file)
    -> std::vector<FileRange>;

}  // namespace tacet::ide
