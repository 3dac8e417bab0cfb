#include "lsp/server/session.h"

#include <utility>

#include "lsp/server/background.h"
#include "lsp/server/run_command.h"
#include "lsp/server/text_sync.h"

namespace tacet::lsp {

auto make_context(Session& session, CancellationToken token) -> RequestContext {
  flush_edits(session);
  return {session.host.analysis(std::move(token)), session.documents.snapshot(), session.client,
          session.token_cache, session.options.bounds};
}

void input_drained(Session& session) {
  if (session.n_gates == 0 && std::exchange(session.needs_diagnostics, false) &&
      !session.exit_code) {
    session.schedule.changed();
  }
}

void end_session(Session& session, int code) {
  if (!session.exit_code) {
    session.exit_code = code;
    for (auto& [number, pending] : session.pending) {
      pending.token.cancel();
    }
    session.diagnostics_token.cancel();
    cancel_background(session);
    cancel_runs(session);
    session.end_token.cancel();
    session.ended();
  }
}

}  // namespace tacet::lsp
