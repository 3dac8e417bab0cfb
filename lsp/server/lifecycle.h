#pragma once

#include "lsp/protocol/message.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

/// The beginning and end of a session.
void initialize(Session& session, const Request& request);
void shutdown(Session& session, const Request& request);
/// Orderly after `shutdown`.
void exit_session(Session& session);
/// `$/setTrace`
void set_trace(Session& session, const Json& params);

}  // namespace tacet::lsp
