#pragma once

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "cli/run/run_report.h"

namespace tacet::cli {

/// One `tacet run`, from its options to the exit code. With `measured`, results are not printed,
/// and what the run cost is written there.
auto run_program(const RunOptions& options, Invocation& invocation,
                 RunStatistics* measured = nullptr) -> ExitCode;

}  // namespace tacet::cli
