#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lsp/ide/analysis_host.h"
#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

/// How the server is reached and how much it may use.
struct ServerOptions {
  /// Loopback port: of a client that listens there, else the one to listen on ourselves.
  std::optional<uint16_t> socket_port;
  /// The same with a Unix socket.
  std::optional<std::string> pipe_name;
  /// 0: as many as there are cores.
  size_t n_workers = 0;
  /// The path of the command line's program, which `tacet.run` runs. Empty: nothing can be run.
  std::string program;
  /// See `SessionOptions`.
  std::chrono::milliseconds typing_pause{300};
  std::span<const RequestHandler> more_handlers{};
};

/// Serves one client over standard input and output, or over the socket that `options`
/// name, until the session ends. Returns the exit code of the process: 0 after an
/// orderly shutdown, 1 otherwise. Prints to stderr why it cannot begin (2).
auto run_language_server(const ServerOptions& options, ide::AnalysisHost& host) -> int;

/// The same over descriptors that are open already, which may be one. They stay open.
auto serve(int in_fd, int out_fd, const ServerOptions& options, ide::AnalysisHost& host) -> int;

}  // namespace tacet::lsp
