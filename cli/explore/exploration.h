#pragma once

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/explore/explore_options.h"

namespace tacet::cli {

/// One `tacet explore`, from its options to the exit code. An interrupted one (Ctrl-C) prints what
/// it has measured and ends the process as the interruption would have.
auto explore(const ExploreOptions& options, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
