#pragma once

#include <cstdint>
#include <optional>

#include "debugger/server/launch.h"

namespace tacet::debugger {

/// Serves one session of the Debug Adapter Protocol over descriptors that are open, which may be
/// one; they stay open. Gives the exit code of the process: 0 after `disconnect`, else 1.
auto serve_debugger(int in_fd, int out_fd, Launcher launcher) -> int;

/// The same over a port on the loopback interface: that of a client that listens there, else it
/// listens itself and serves the first client. 2 if it cannot begin, which is printed.
auto serve_debugger_at(uint16_t port, Launcher launcher) -> int;

}  // namespace tacet::debugger
