#pragma once

#include <chrono>
#include <span>
#include <string>

#include "lsp/server/handlers/handlers.h"
#include "lsp/server/session_bounds.h"

namespace tacet::lsp {

/// What a session can do and may have.
struct SessionOptions {
  std::string program{};  ///< the path of what `tacet.run` runs; empty: nothing can be run
  SessionBounds bounds{};
  /// How long errors at the word that is being typed wait for the next edit, if no setting says it.
  std::chrono::milliseconds typing_pause{300};
  /// Besides `request_handlers()`. Outlive the session.
  std::span<const RequestHandler> more_handlers{};
};

}  // namespace tacet::lsp
