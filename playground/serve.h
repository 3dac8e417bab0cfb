#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lsp/ide/analysis_host.h"
#include "playground/limits.h"
#include "playground/site.h"

namespace tacet::playground {

struct Options {
  std::string address = "127.0.0.1";  ///< to listen at
  uint16_t port = 0;                  ///< 0: any that is free
  HostNames names;
  Limits limits;
  /// The path of the command line's program, which runs programs.
  std::string program;
  /// Makes what a session of the language server knows. Called on one thread.
  std::function<std::unique_ptr<ide::AnalysisHost>()> make_host;
  /// Called when it listens, with the port and the token that is the first folder of every path.
  std::function<void(uint16_t, std::string_view)> listening;
};

/// Whether nobody but this machine can connect to an address; an error if it is none.
auto is_loopback_address(const std::string& address) -> Result<bool>;

/// Serves the page, sessions of the language server and runs until the process is asked to end
/// (SIGINT, SIGTERM). Runs in progress are killed then. An error if it cannot listen.
auto serve(const Options& options) -> Status;

}  // namespace tacet::playground
