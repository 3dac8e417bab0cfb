#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/find_files.h"
#include "cli/run/operation_times_file.h"
#include "cli/serving/all_commands.h"
#include "lsp/ide/analysis_host.h"
#include "playground/serve.h"
#include "project/format_style.h"

namespace tacet::cli {

namespace {

struct PlaygroundOptions {
  playground::Options serve;
  uint64_t run_seconds = 20;
};

/// Whether other machines can connect; the user is informed.
auto take_address(PlaygroundOptions& options, Invocation& invocation) -> Result<bool> {
  Result<bool> is_loopback = playground::is_loopback_address(options.serve.address);
  if (is_loopback && !*is_loopback) {
    options.serve.names.numbers = playground::HostNames::Numbers::All;
    invocation.warning(
        fmt::format("anyone who can reach {} can run programs on this machine, within the limits "
                    "of `tacet playground --help`; the connection is not encrypted",
                    options.serve.address));
  }
  return is_loopback;
}

auto serve_playground(PlaygroundOptions& options, Invocation& invocation) -> ExitCode {
  if (Result<bool> taken = take_address(options, invocation); !taken) {
    invocation.error(taken.error().message);
    return ExitCode::Usage;
  }
  std::error_code ignored;
  options.serve.program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  options.serve.limits.run_time = std::chrono::seconds(options.run_seconds);
  options.serve.limits.style = project::FormatStyles().of(absolute_path("playground.tacet"));
  options.serve.make_host = [times = machine_times()] {
    return std::make_unique<ide::AnalysisHost>(times.operations, times.bootstraps);
  };
  options.serve.listening = [&](uint16_t port, std::string_view token) {
    const bool is_six = options.serve.address.find(':') != std::string::npos;
    const bool is_default = options.serve.address == "127.0.0.1";
    invocation.out.write(fmt::format("http://{}:{}/{}/\n",
                                     is_default ? std::string("localhost")
                                     : is_six   ? fmt::format("[{}]", options.serve.address)
                                                : options.serve.address,
                                     port, token));
    invocation.out.flush();
  };
  Status ended = playground::serve(options.serve);
  if (!ended) {
    invocation.error(ended.error().message);
    return ExitCode::Failed;
  }
  return ExitCode::Done;
}

auto declare_playground(CLI::App& app) -> Action {
  auto options = std::make_shared<PlaygroundOptions>();
  options->serve.port = 8017;
  app.add_option("--port", options->serve.port,
                 "The port to listen on (default: 8017); 0 selects a free port")
      ->type_name("PORT");
  app.add_option("--listen", options->serve.address,
                 "The address to listen on (default: 127.0.0.1, reachable only from this machine)")
      ->type_name("ADDRESS");
  app.add_option("--host", options->serve.names.names, "A host name to accept besides localhost")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--run-time", options->run_seconds, "Time limit of a run (default: 20 s)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
  app.add_option("--run-memory", options->serve.limits.run_memory_mib,
                 "Memory limit of a run (default: 2048 MiB)")
      ->type_name("MIB")
      ->check(CLI::Range(16, 1 << 20));
  app.add_option("--runs", options->serve.limits.most_runs,
                 "Maximum number of concurrent runs (default: 2)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  app.add_option("--sessions", options->serve.limits.most_sessions,
                 "Maximum number of open editors (default: 16)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  return [options](Invocation& invocation) { return serve_playground(*options, invocation); };
}

}  // namespace

auto playground_command() -> Command {
  Command command;
  command.name = "playground";
  command.summary = "serve an editor in the browser that checks and runs programs";
  command.examples =
      "tacet playground              on port 8017, with a token in the URL\n"
      "tacet playground --port 0     on a free port";
  command.details =
      "Serves a page with an editor that uses the language server and runs programs in plaintext, "
      "under homomorphic encryption and by several parties; nothing is loaded from other sites. It "
      "listens only on this machine unless --listen is given. It answers only at the printed URL, "
      "which contains a new token each time, and accepts requests only from its own page and for "
      "host names of this machine. Press Ctrl-C to stop it. Each run is a separate process with "
      "limits on time and memory. Programs and inputs come from the page, never from files on this "
      "machine.";
  command.declare = declare_playground;
  return command;
}

}  // namespace tacet::cli
