#include "lsp/server/session.h"

#include <utility>

#include "lsp/server/background.h"
#include "lsp/server/run_command.h"
#include "lsp/server/text_sync.h"

namespace tacet::lsp {

auto make_context(Session& session, CancellationToken token) -> RequestContext {
  flush_edits(session);
  return {.analysis = session.host.analysis(std::move(token)),
          .documents = session.documents.snapshot(),
          .client = session.client,
          .token_cache = session.token_cache,
          .bounds = session.options.bounds,
          .typed = session.typed,
          .executor = session.executor};
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
