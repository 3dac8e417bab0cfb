#pragma once

#include <string>

#include "lsp/server/session.h"

namespace tacet::lsp {

/// Computes and publishes the diagnostics of open documents, for clients that do not pull them.
void start_diagnostics(Session& session);
void clear_diagnostics(Session& session, const std::string& uri);

}  // namespace tacet::lsp
