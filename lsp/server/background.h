#pragma once

#include "lsp/server/session.h"

namespace tacet::lsp {

/// Starts what takes long and no answer waits for.
void start_background(Session& session, ide::BackgroundTask task);
void cancel_background(Session& session);

}  // namespace tacet::lsp
