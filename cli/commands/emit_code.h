#pragma once

#include "cli/command.h"
#include "cli/load_files.h"
#include "cli/run/run_options.h"
#include "compiler/views/backends/target.h"

namespace tacet::cli {

/// `tacet emit --to`: code for another library from a program, or from a text that `tacet build`
/// wrote. The files go into the folder `folder`; without one, the first is printed.
auto emit_code(backends::Target target, const LoadedFile& file, const RunOptions& options,
               const std::string& folder, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
