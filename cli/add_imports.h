#pragma once

#include <string>
#include <vector>

#include "base/executor.h"
#include "cli/source_set.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// Reads the modules that `files` import, and those that these import, from the folder of the
/// importing file and from `source_folders` (absolute). What cannot be found or read is left
/// for the compiler to say. Gives the files that were added. The modules of the library need no
/// reading.
auto add_imports(program::Frontend& frontend, std::vector<FileId> files,
                 const std::vector<std::string>& source_folders, Executor& executor,
                 SourceSet& sources) -> std::vector<FileId>;

}  // namespace tacet::cli
