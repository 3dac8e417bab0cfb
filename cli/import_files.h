#pragma once

#include <string>
#include <vector>

#include "cli/source_set.h"
#include "compiler/check/frontend.h"

namespace tacet::cli {

/// Reads the modules that `files` import, directly or by others, and that `frontend` does not
/// have: from the folder of the importing file, then from `source_folders` (absolute). Files that
/// cannot be read stay unknown modules, which the front end reports at the `import`. Gives the
/// files that were added; they are added to `sources` too.
auto import_files(check::Frontend& frontend, std::vector<FileId> files,
                  const std::vector<std::string>& source_folders, SourceSet& sources)
    -> std::vector<FileId>;

}  // namespace tacet::cli
