#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "lsp/server/event_loop.h"
#include "playground/language_sessions.h"
#include "playground/limits.h"
#include "playground/program_runs.h"
#include "playground/site.h"

namespace tacet::playground {

/// What connections work with.
struct Services {
  lsp::EventLoop& loop;
  const HostNames& names;
  const std::string& token;
  const Limits& limits;
  LanguageSessions& sessions;
  ProgramRuns& runs;
  /// Connections may outlive what they work with, by a moment.
  std::shared_ptr<size_t> n_connections = std::make_shared<size_t>(0);
};

/// Serves the connected socket `fd`, which it owns, until the client goes or becomes a session of
/// the language server. Returns at once. One connection more than there may be is closed.
void serve_connection(int fd, Services& services);

}  // namespace tacet::playground
