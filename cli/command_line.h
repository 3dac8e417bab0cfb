#pragma once

#include "cli/exit_code.h"

namespace tacet::cli {

/// Reads the command line, runs the sub-command it names and returns its exit code. Mistakes on
/// the command line are printed on stderr, with the nearest name that exists.
auto run_command_line(int argc, const char* const* argv) -> ExitCode;

}  // namespace tacet::cli
