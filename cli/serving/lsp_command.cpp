#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/run/operation_times_file.h"
#include "cli/serving/all_commands.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/server/run.h"

namespace tacet::cli {

/// What editors may say, of which some is said again by `initialize`.
struct LspOptions {
  lsp::ServerOptions server;
  bool uses_stdio = true;
  int64_t client_process_id = 0;
};

static auto serve(lsp::ServerOptions options) -> ExitCode {
  std::error_code ignored;
  options.program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  MachineTimes times = machine_times();
  auto host = std::make_unique<ide::AnalysisHost>(std::move(times.operations), times.bootstraps);
  return static_cast<ExitCode>(lsp::run_language_server(options, *host));
}

auto lsp_command() -> Command {
  Command command;
  command.name = "lsp";
  command.summary = "run the language server for editors";
  command.examples =
      "tacet lsp                  on standard input and output\n"
      "tacet lsp --socket 5007    on a local port";
  command.details =
      "With --socket or --pipe the server connects to an editor that listens there; if none does, "
      "it listens itself and serves the first client. It exits with its client, and with code 0 "
      "only after an orderly shutdown.";
  command.declare = [](CLI::App& app) -> Action {
    auto options = std::make_shared<LspOptions>();
    app.add_flag("--stdio", options->uses_stdio, "Use standard input and output (default)");
    auto* socket =
        app.add_option("--socket", options->server.socket_port, "A port on the loopback interface")
            ->type_name("PORT");
    app.add_option("--pipe", options->server.pipe_name, "A Unix socket")
        ->type_name("NAME")
        ->excludes(socket);
    app.add_option("--clientProcessId", options->client_process_id,
                   "Exit when this process ends; `processId` in `initialize` takes precedence")
        ->type_name("PID");
    return [options](Invocation&) { return serve(options->server); };
  };
  return command;
}

}  // namespace tacet::cli
