#pragma once

#include "cli/command.h"
#include "debugger/server/launch.h"

namespace tacet::cli {

/// Loads, checks and compiles a program for the debugger, and reads its inputs, all as `tacet run`
/// does. `program` is the command line that the process has.
auto launch_debuggee(const debugger::LaunchRequest& request, const ProgramModel& program,
                     const std::function<void(debugger::LaunchOutput)>& output)
    -> Result<debugger::Debuggee>;

}  // namespace tacet::cli
