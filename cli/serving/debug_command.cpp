#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/run/core_dumps.h"
#include "cli/serving/all_commands.h"
#include "cli/serving/launch_debuggee.h"
#include "debugger/server/serve_debugger.h"

namespace tacet::cli {

auto debug_command() -> Command {
  Command command;
  command.name = "debug";
  command.summary = "run the debugger for editors (Debug Adapter Protocol)";
  command.examples =
      "tacet debug                  on standard input and output\n"
      "tacet debug --socket 5008    on a local port";
  command.details =
      "Debugs what `tacet run --device ref` runs: functions, specifications, pipelines and array "
      "programs, in plaintext, with breakpoints, steps in both directions, and for each variable "
      "whether it is secret and which inputs it depends on. The options of `launch` are `program`, "
      "`function` or `pipeline`, `values` or `inputs` (as on the command line of `tacet run`; "
      "\"@random\" draws what is missing), `sizes`, `seed`, `externs`, `cwd`, `memoryLimit` (MiB), "
      "`stopOnEntry`, `noDebug` and `hideSecrets`. With --socket it connects to an editor that "
      "listens on the port; if none does, it listens itself and serves the first client.";
  command.declare = [](CLI::App& app) -> Action {
    auto port = std::make_shared<std::optional<uint16_t>>();
    auto uses_stdio = std::make_shared<bool>(true);
    app.add_flag("--stdio", *uses_stdio, "Use standard input and output (default)");
    app.add_option("--socket", *port, "A port on the loopback interface")->type_name("PORT");
    return [port, uses_stdio](Invocation& invocation) {
      forbid_core_dumps();
      const debugger::Launcher launcher =
          [&](const debugger::LaunchRequest& request,
              const std::function<void(debugger::LaunchOutput)>& output) {
            return launch_debuggee(request, invocation.program, output);
          };
      return static_cast<ExitCode>(
          *port ? debugger::serve_debugger_at(**port, launcher)
                : debugger::serve_debugger(STDIN_FILENO, STDOUT_FILENO, launcher));
    };
  };
  return command;
}

}  // namespace tacet::cli
