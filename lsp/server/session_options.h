#pragma once

#include <span>
#include <string>

#include "lsp/server/handlers/handlers.h"
#include "lsp/server/session_bounds.h"

namespace tacet::lsp {

/// What a session can do and may have.
struct SessionOptions {
  std::string program{};  ///< the path of what `tacet.run` runs; empty: nothing can be run
  SessionBounds bounds{};
  /// Besides `request_handlers()`. Outlive the session.
  std::span<const RequestHandler> more_handlers{};
};

}  // namespace tacet::lsp
