#pragma once

#include <string>
#include <vector>

#include "cli/load_files.h"
#include "cli/run/run_options.h"

namespace tacet::cli {

/// The stages that `tacet emit` prints, in the order of the compiler.
auto stage_names() -> const std::vector<std::string>&;

/// Prints a stage of a file, and on stderr what is wrong with it.
auto emit_stage(const std::string& stage, const LoadedFile& file, const RunOptions& options,
                Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
