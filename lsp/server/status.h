#pragma once

#include "lsp/protocol/message.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

/// Answers `tacet/serverStatus`: whether anything is being done, what the server holds, and what it
/// computed of each kind of query since it began.
void report_status(Session& session, const Request& request);

}  // namespace tacet::lsp
