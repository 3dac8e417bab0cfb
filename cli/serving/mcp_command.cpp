#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "cli/serving/all_commands.h"
#include "cli/serving/mcp_server.h"

namespace tacet::cli {

namespace {

struct McpOptions {
  std::string root = ".";
  uint64_t run_seconds = 60;
  uint64_t run_memory_mib = 4096;
};

auto serve_assistant(const McpOptions& options, Invocation& invocation) -> ExitCode {
  std::error_code failed;
  McpLimits limits;
  limits.root = std::filesystem::canonical(options.root, failed);
  if (failed || !std::filesystem::is_directory(limits.root)) {
    invocation.error("`" + options.root + "` is no folder");
    return ExitCode::Usage;
  }
  limits.program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  limits.run.time = std::chrono::seconds(options.run_seconds);
  limits.run.memory_bytes = options.run_memory_mib << 20;
  McpServer server(std::move(limits), [&](const std::string& line) {
    invocation.out.write(line + "\n");
    invocation.out.flush();
  });
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty() && line != "\r") {
      server.take(line);
    }
  }
  server.wait();
  return ExitCode::Done;
}

auto declare_mcp(CLI::App& app) -> Action {
  auto options = std::make_shared<McpOptions>();
  app.add_option("--root", options->root,
                 "The folder that files are read from (default: the current one)")
      ->type_name("FOLDER");
  app.add_option("--run-time", options->run_seconds, "Time limit of a run (default: 60 s)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
  app.add_option("--run-memory", options->run_memory_mib,
                 "Memory limit of a run (default: 4096 MiB)")
      ->type_name("MIB")
      ->check(CLI::Range(16, 1 << 20));
  return [options](Invocation& invocation) { return serve_assistant(*options, invocation); };
}

}  // namespace

auto mcp_command() -> Command {
  Command command;
  command.name = "mcp";
  command.summary = "serve the tools to programmatic assistants (Model Context Protocol)";
  command.examples =
      "tacet mcp                  on standard input and output, for files below this folder\n"
      "tacet mcp --root programs  for files below `programs`";
  command.details =
      "Answers JSON-RPC, a message on each line. The tools are check, lint, fix, format, "
      "functions, "
      "explain, emit, costs and run, on files below the folder or on given texts. None writes a "
      "file; "
      "values of runs come from the call, never from files. A run is a process of its own, with "
      "limits on time and memory.";
  command.declare = declare_mcp;
  return command;
}

}  // namespace tacet::cli
