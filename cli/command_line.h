#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/output.h"

namespace tacet::cli {

/// Reads the command line, runs the sub-command it names and returns its exit code. Mistakes on
/// the command line are printed on stderr, with the nearest name that exists.
auto run_command_line(int argc, const char* const* argv, const std::vector<Command>& commands)
    -> ExitCode;

/// The same of the words behind the program's name, printed to other streams.
auto run_command_line(const std::vector<std::string>& words, const std::vector<Command>& commands,
                      Output& out, Output& err) -> ExitCode;

}  // namespace tacet::cli
