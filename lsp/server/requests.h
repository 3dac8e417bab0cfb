#pragma once

#include "lsp/protocol/message.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

/// Hands a request to a worker, and sends what it answers. A worker whose revision ends because
/// files were read meanwhile begins again.
void start_request(Session& session, const Request& request, const RequestHandler& handler);

/// Answers everything in progress: results for outdated text are useless, and would be wrong as
/// edits.
void supersede_requests(Session& session);

/// `$/cancelRequest`
void cancel_request(Session& session, const Json& params);

}  // namespace tacet::lsp
