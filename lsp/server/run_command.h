#pragma once

#include "lsp/protocol/message.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

/// Is it the command `tacet.run`?
auto is_run(const Request& request) -> bool;
void run_program(Session& session, const Request& request);
/// Stops the run that a request of this id began, if there is one.
void cancel_run(Session& session, const RequestId& id);
/// The session ends: nobody waits for an answer.
void cancel_runs(Session& session);
/// `window/workDoneProgress/cancel`
void cancel_progress(Session& session, const Json& params);

}  // namespace tacet::lsp
