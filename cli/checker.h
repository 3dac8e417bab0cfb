#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/executor.h"
#include "cli/load_files.h"
#include "cli/source_set.h"
#include "compiler/diagnostics/diagnostic.h"

namespace tacet::cli {

/// How far `tacet check` looks.
enum class Until : uint8_t { Syntax, Names, Types, Conformance };

/// Every diagnostic of `files`, sorted by file in the order given and by place. Modules that
/// they import are read too, also from `source_folders` (absolute), but what is wrong in them is
/// told only if they are among `files`. What diagnostics refer to is added to `sources`.
auto check_files(std::vector<LoadedFile> files, const std::vector<std::string>& source_folders,
                 Until until, Executor& executor, SourceSet& sources) -> std::vector<Diagnostic>;

}  // namespace tacet::cli
